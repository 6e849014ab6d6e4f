import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';

/** Changes an object, by a copy. */
export type Edit = (object: JsonObject) => JsonObject;

export function all(...edits: readonly Edit[]): Edit {
  return (object) => edits.reduce((soFar, edit) => edit(soFar), object);
}

/** What is not stated, or only as the empty value that decoders leave out, is stated. */
export function preset(values: JsonObject): Edit {
  const entries = Object.entries(values);
  return (object) => {
    const missing = entries.filter(([key]) => isBlank(object[key]));
    return missing.length === 0 ? object : { ...object, ...Object.fromEntries(missing) };
  };
}

function isBlank(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '';
}

/** For numbers of which nought means "not stated". */
export function presetNought(values: JsonObject): Edit {
  const entries = Object.entries(values);
  return (object) => {
    const missing = entries.filter(([key]) => (object[key] ?? 0) === 0);
    return missing.length === 0 ? object : { ...object, ...Object.fromEntries(missing) };
  };
}

/** Where the part is there. */
export function inside(key: string, edit: Edit): Edit {
  return (object) => {
    const part = object[key];
    return isJsonObject(part) ? put(object, key, edit(part)) : object;
  };
}

/** The part is there afterwards. */
export function ensured(key: string, edit: Edit = (object) => object): Edit {
  return (object) => put(object, key, edit(partOf(object, key)));
}

export function each(key: string, edit: Edit): Edit {
  return (object) => {
    const list = object[key];
    if (!isList(list)) return object;
    const next = list.map((item) => (isJsonObject(item) ? edit(item) : item));
    return next.every((item, index) => item === list[index]) ? object : put(object, key, next);
  };
}

export function when(condition: (object: JsonObject) => boolean, edit: Edit): Edit {
  return (object) => (condition(object) ? edit(object) : object);
}

/** Numbers that are left out where they are nought. */
export function withoutNoughts(...keys: readonly string[]): Edit {
  return (object) =>
    without(
      object,
      keys.filter((key) => object[key] === 0),
    );
}

/** Conditions write times that are not stated as null. */
export function timed(...keys: readonly string[]): Edit {
  const nulls = Object.fromEntries(keys.map((key) => [key, null]));
  return each('conditions', (condition) => ({ ...nulls, ...condition }));
}

export function put(object: JsonObject, key: string, value: Json | undefined): JsonObject {
  if (value !== undefined) return object[key] === value ? object : { ...object, [key]: value };
  return without(object, [key]);
}

export function without(object: JsonObject, keys: readonly string[]): JsonObject {
  if (!keys.some((key) => key in object)) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

export function partOf(object: JsonObject | undefined, key: string): JsonObject {
  const part = object?.[key];
  return isJsonObject(part) ? part : {};
}

export function itemsOf(object: JsonObject | undefined, key: string): readonly JsonObject[] {
  const list = object?.[key];
  return isList(list) ? list.filter(isJsonObject) : [];
}

export function textOf(object: JsonObject | undefined, key: string): string {
  const text = object?.[key];
  return typeof text === 'string' ? text : '';
}

export function numberOf(object: JsonObject | undefined, key: string): number | undefined {
  const number = object?.[key];
  return typeof number === 'number' ? number : undefined;
}

export const metadataOf = (object: JsonObject | undefined) => partOf(object, 'metadata');
export const specOf = (object: JsonObject | undefined) => partOf(object, 'spec');
export const statusOf = (object: JsonObject | undefined) => partOf(object, 'status');
