import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { Schema } from '../parts.ts';
import { isBuiltIn } from './built-in.ts';

const known = new WeakMap<Schema, JsonObject>();

/**
 * What the server takes a new object of a kind for: of a Go type the fields that are always written,
 * which is why a Deployment's creator owns `spec.template.spec` but is not said to.
 */
export function blankOf(apiVersion: string, schema: Schema | undefined): JsonObject {
  if (schema === undefined || !isBuiltIn(apiVersion)) return {};
  const found = known.get(schema);
  if (found !== undefined) return found;
  const blank = emptied(schema);
  known.set(schema, blank);
  return blank;
}

function emptied({ properties = {}, required = [] }: Schema): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]): readonly (readonly [string, Json])[] => {
      const value = zeroOf(schema, required.includes(name));
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The document has zero values as defaults where Go writes them; a list or a pointer is null there. */
function zeroOf(schema: Schema, isRequired: boolean): Json | undefined {
  const value = schema.default;
  if (isJsonObject(value) && schema.type === 'object') return emptied(schema);
  if (value === '' || value === 0 || value === false) return value;
  return isRequired && (schema.type === 'array' || schema.type === 'object') ? null : undefined;
}

/** What Go writes as null in an object, it writes so in a blank one; the document does not say of which fields. */
export function blankFor(
  object: JsonObject,
  apiVersion: string,
  schema: Schema | undefined,
): JsonObject {
  const blank = blankOf(apiVersion, schema);
  return isBuiltIn(apiVersion) ? withNulls(blank, object) : blank;
}

function withNulls(blank: JsonObject, object: JsonObject): JsonObject {
  const nulled: { [field: string]: Json } = { ...blank };
  for (const [field, value] of Object.entries(object)) {
    const below = blank[field];
    if (value === null && below === undefined) nulled[field] = null;
    if (isJsonObject(value) && isJsonObject(below)) nulled[field] = withNulls(below, value);
  }
  return nulled;
}
