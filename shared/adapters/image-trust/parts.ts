import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import type { ImageTrustSettings } from '#shared/domain/image-trust/settings.ts';
import type { TrustFiles } from '#shared/domain/image-trust/trust-files.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import type { RegistryLogin } from '#shared/domain/registry/credential.ts';
import type { Registry } from '#shared/domain/registry/registry.ts';
import type { Clock, ImagesAsked } from '#shared/ports.ts';
import type { Provers } from './proof.ts';

/** What is asked outside, made of one configuration. */
export type Askable = {
  readonly settings: ImageTrustSettings;
  readonly files: TrustFiles;
  readonly registry: Registry;
  readonly provers: Provers;
};

export type Pod = NonNullable<ImagesAsked['pod']>;

/** What is shared by all that is opened for one process. */
export type JudgeParts = {
  askable(): Askable;
  /** Before images are judged by such rules: until then what is asked may rest on files as they were. */
  ready(rules: TrustRules): Promise<void> | undefined;
  readonly store: VerdictStore;
  readonly clock: Clock;
  /** Never fails: a Secret that cannot be read is one login that is not known. */
  loginsOf(pod: Pod): Promise<readonly RegistryLogin[]>;
  /** A bug, of ours or of what we use: who asks is answered all the same, and this is how somebody hears of it. */
  threw(cause: unknown): void;
  /** From 0 to 1. */
  readonly chance: () => number;
  /** Of a claim; half of what an admission may take. */
  leaseMs(): number;
  /** No verification and no reading of a manifest takes longer, whoever still waits for it. */
  readonly boundMs: number;
  /** How long one waits who has something older to go on by. */
  readonly patienceMs: number;
};
