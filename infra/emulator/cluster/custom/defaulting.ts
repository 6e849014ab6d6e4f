import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { Schema } from '../parts.ts';
import { valuesOf } from './valid/keyword.ts';

/** The defaults of a structural schema; a null takes one as well, where null is no value. Twice is once. */
export function withDefaults(value: Json, schema: Schema | undefined): Json {
  if (schema === undefined) return value;
  if (isList(value))
    return value.map((item) => withDefaults(stated(item, schema.items), schema.items));
  return isJsonObject(value) ? objectWithDefaults(value, schema) : value;
}

export function objectWithDefaults(value: JsonObject, schema: Schema): JsonObject {
  const filled = { ...value, ...missing(value, schema) };
  return Object.fromEntries(
    Object.entries(filled).map(([key, each]) => {
      const property = schema.properties?.[key] ?? valuesOf(schema);
      return [key, withDefaults(stated(each, property), property)];
    }),
  );
}

function missing(value: JsonObject, schema: Schema): JsonObject {
  const entries = Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const isThere = Object.hasOwn(value, key) && !isLost(value[key], property);
    return property.default === undefined || isThere ? [] : [[key, asJson(property.default)]];
  });
  return Object.fromEntries(entries);
}

function stated(value: Json, schema: Schema | undefined): Json {
  return isLost(value, schema) && schema?.default !== undefined ? asJson(schema.default) : value;
}

function isLost(value: Json | undefined, schema: Schema | undefined): boolean {
  return value === null && schema !== undefined && schema['nullable'] !== true;
}

/** A definition arrived as JSON, its defaults with it. */
function asJson(value: unknown): Json {
  return value as Json;
}
