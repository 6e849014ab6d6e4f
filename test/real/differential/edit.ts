import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';

/** `spec.containers.0.image`; a number is a place in a list. Without a value it goes. */
export type Edit = { readonly at: readonly string[]; readonly value: Json | undefined };

export function edited(object: JsonObject, edits: readonly Edit[]): JsonObject {
  return edits.reduce<Json>((so, { at, value }) => withAt(so, at, value), object) as JsonObject;
}

function withAt(
  there: Json | undefined,
  [key, ...more]: readonly string[],
  value: Json | undefined,
): Json {
  if (key === undefined) return value ?? null;
  if (isList(there) && /^\d+$/.test(key)) return withItem(there, [key, ...more], value);
  const object = isJsonObject(there) ? there : {};
  if (more.length > 0) return { ...object, [key]: withAt(object[key], more, value) };
  const { [key]: _, ...others } = object;
  return value === undefined ? others : { ...object, [key]: value };
}

function withItem(
  list: readonly Json[],
  [key = '', ...more]: readonly string[],
  value: Json | undefined,
): Json {
  const at = Math.min(Number(key), list.length);
  const items = [...list];
  if (more.length === 0 && value === undefined) items.splice(at, 1);
  else items[at] = more.length === 0 ? (value ?? null) : withAt(items[at], more, value);
  return items;
}

/** The edits as the object that a merge patch is; an item of a list is told by what it is called in `base`. */
export function mergeOf(edits: readonly Edit[], base: JsonObject = {}): JsonObject {
  return edits.reduce<JsonObject>(
    (so, { at, value }) => joined(so, patchOf(at, value ?? null, base)) as JsonObject,
    {},
  );
}

function patchOf([key, ...more]: readonly string[], value: Json, base: Json | undefined): Json {
  if (key === undefined) return value;
  if (!/^\d+$/.test(key)) {
    return { [key]: patchOf(more, value, isJsonObject(base) ? base[key] : undefined) };
  }
  const item = base !== undefined && isList(base) ? base[Number(key)] : undefined;
  const below = patchOf(more, value, item);
  return [isJsonObject(below) ? { ...calledAs(item), ...below } : below];
}

function calledAs(item: Json | undefined): JsonObject {
  if (!isJsonObject(item)) return {};
  const keys = ['name', 'port', 'containerPort', 'type'].filter((key) => item[key] !== undefined);
  return Object.fromEntries(keys.slice(0, 1).map((key) => [key, item[key] ?? null]));
}

function joined(one: Json | undefined, other: Json): Json {
  if (!isJsonObject(one) || !isJsonObject(other)) return other;
  const both = Object.entries(other).map(([key, value]) => [key, joined(one[key], value)]);
  return { ...one, ...Object.fromEntries(both) };
}

export function pointerOf(at: readonly string[]): string {
  return at.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function valueIn(there: Json | undefined, at: readonly string[]): Json | undefined {
  return at.reduce<Json | undefined>((so, key) => {
    if (so === undefined) return undefined;
    if (isList(so)) return so[Number(key)];
    return isJsonObject(so) && Object.hasOwn(so, key) ? so[key] : undefined;
  }, there);
}
