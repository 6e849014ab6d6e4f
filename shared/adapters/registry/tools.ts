import type { Outside } from '#shared/domain/outside.ts';
import type { RegistryMirror } from '#shared/domain/registry/endpoint.ts';
import type { Joining } from '../joining.ts';
import type { Look, Seen } from './manifest-at.ts';
import type { Remembered } from './remembered.ts';

export type RegistryOptions = {
  readonly mirrors: readonly RegistryMirror[];
  /** By the registry's host: whom its users' passwords may be shown to beside itself. */
  readonly tokenServers: Readonly<Record<string, readonly string[]>>;
  /** Of one read with all its mirrors, tokens and redirects. */
  readonly deadlineMs: number;
};

/** What the parts of this client share. */
export type Tools = {
  readonly outside: Outside;
  readonly options: RegistryOptions;
  readonly now: () => number;
  readonly tokens: Remembered<string>;
  /** Who said that it is busy, until it asked to be left alone. */
  readonly busy: Remembered<number>;
  /** To whom which image was shown a moment ago, and to whom not. */
  readonly looks: Remembered<Seen>;
  readonly looking: Joining<Look>;
};
