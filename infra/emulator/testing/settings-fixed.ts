import { decode, describe } from '#shared/domain/decode.ts';
import { type Settings, settings } from '#shared/domain/settings.ts';
import type { SettingsPort } from '#shared/ports.ts';

/** What a user may leave out of the configuration file may be left out here. */
export type Partly<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: Partly<T[K]> | undefined }
    : T;

export type FixedSettings = SettingsPort & {
  /** As if the file had been written anew. */
  change(next: Partly<Settings>): void;
};

/** Settings through the real decoder, so that every default is the product's own. */
export function settingsFixed(stated: Partly<Settings> = {}): FixedSettings {
  let settled = decoded(stated);
  return {
    current: () => settled,
    change(next) {
      settled = decoded(next);
    },
  };
}

function decoded(stated: Partly<Settings>): Settings {
  const result = decode(settings, stated);
  if (result.ok) return result.value;
  throw new Error(`settings of a test: ${result.problems.map(describe).join('; ')}`);
}
