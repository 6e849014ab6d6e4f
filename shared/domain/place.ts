import { refine, text } from './decode.ts';
import { type Configured, resolveConfigured, type Settings } from './settings.ts';

/** Wide enough for every kind; it stands in paths, in field selectors and in CEL, all of which it leaves whole. */
export const objectName = refine(
  text,
  (name) => name.length <= 253 && /^[A-Za-z0-9][-._:@A-Za-z0-9]*$/.test(name),
  "an object's name",
);

export function resolveName(name: string | Configured<string>, settings: Settings): string {
  return typeof name === 'string' ? name : resolveConfigured(name, settings, objectName);
}

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
    ...(namespace === undefined ? {} : { namespace: resolveName(namespace, settings) }),
    name: resolveName(name, settings),
  };
}
