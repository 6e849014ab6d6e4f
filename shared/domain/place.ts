import { type Configured, resolveConfigured, type Settings } from './settings.ts';

/** One object, where the settings say it is. */
export type ConfiguredPlace = {
  readonly namespace: Configured<string>;
  readonly name: Configured<string>;
};

/** Objects of one name, in whichever namespace. */
export type ConfiguredName = { readonly namespace?: never; readonly name: Configured<string> };

export type Place = { readonly namespace: string; readonly name: string };

export function resolvePlace(place: ConfiguredPlace, settings: Settings): Place;
export function resolvePlace(
  place: ConfiguredPlace | ConfiguredName,
  settings: Settings,
): Omit<Place, 'namespace'> & Partial<Place>;
export function resolvePlace(
  { namespace, name }: ConfiguredPlace | ConfiguredName,
  settings: Settings,
) {
  return {
    ...(namespace === undefined ? {} : { namespace: resolveConfigured(namespace, settings) }),
    name: resolveConfigured(name, settings),
  };
}
