import { type Configured, resolveConfigured, type Settings } from './settings.ts';

/** One object, where the settings say it is. */
export type ConfiguredPlace = {
  readonly namespace: Configured<string>;
  readonly name: Configured<string>;
};

export type Place = { readonly namespace: string; readonly name: string };

export function resolvePlace({ namespace, name }: ConfiguredPlace, settings: Settings): Place {
  return {
    namespace: resolveConfigured(namespace, settings),
    name: resolveConfigured(name, settings),
  };
}
