import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { FieldError } from '../../parts.ts';

/** A value and where it stands: `spec.containers[0].name`. */
export type Place = { readonly path: string; readonly value: Json | undefined };

export type Errors = readonly FieldError[];
export type Check = (at: Place) => Errors;

export const none: Errors = [];

export function root(object: JsonObject): Place {
  return { path: '', value: object };
}

export function child(at: Place, ...keys: readonly string[]): Place {
  return keys.reduce<Place>(
    ({ path, value }, key) => ({
      path: path === '' ? key : `${path}.${key}`,
      value: isJsonObject(value) ? value[key] : undefined,
    }),
    at,
  );
}

export function items(at: Place, key: string): readonly Place[] {
  return itemsAt(child(at, key));
}

export function itemsAt({ path, value }: Place): readonly Place[] {
  return isList(value)
    ? value.map((item, index) => ({ path: `${path}[${index}]`, value: item }))
    : [];
}

/** `data[key]` */
export function entries({ path, value }: Place): readonly (readonly [string, Place])[] {
  return Object.entries(isJsonObject(value) ? value : {})
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, item]) => [key, { path: `${path}[${key}]`, value: item }] as const);
}

export function text({ value }: Place): string {
  return typeof value === 'string' ? value : '';
}

export function number({ value }: Place): number {
  return typeof value === 'number' ? value : 0;
}

export function object({ value }: Place): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function isStated({ value }: Place): boolean {
  return value !== undefined && value !== null;
}

/** As decoders see it: a text of no letters and a list of no items are not stated. */
export function isEmpty({ value }: Place): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (isList(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

export function ifNone({ value }: Place): Json {
  return value ?? null;
}
