import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { Schema } from '../../parts.ts';
import { all, broken, child, type Found, held, invalid, required, tooMany } from './found.ts';
import { numberAt, propertyOf, valuesOf } from './keyword.ts';
import { type Part, validated } from './value.ts';

export function objectFound(value: Json, schema: Schema, part: Part): Found {
  if (!isJsonObject(value)) return { errors: [], matches: 0 };
  return all([
    sizeFound(value, schema, part.path),
    ...additionalFound(value, schema, part),
    ...propertiesFound(value, schema, part),
    requiredFound(value, schema, part.path),
    held,
  ]);
}

function sizeFound(value: JsonObject, schema: Schema, path: string): Found {
  const [least, most] = [numberAt(schema, 'minProperties'), numberAt(schema, 'maxProperties')];
  const size = Object.keys(value).length;
  if (least !== undefined && size < least)
    return broken(invalid(path, size, `${path} in body should have at least ${least} properties`));
  return most !== undefined && size > most ? broken(tooMany(path, size, most)) : held;
}

function additionalFound(value: JsonObject, schema: Schema, part: Part): readonly Found[] {
  const values = valuesOf(schema);
  if (values === undefined) return [];
  return Object.entries(value)
    .filter(([key]) => propertyOf(schema, key) === undefined)
    .map(([key, each]) =>
      validated(each, values, { path: `${part.path}.${key}`, old: oldAt(part, key) }),
    );
}

function propertiesFound(value: JsonObject, schema: Schema, part: Part): readonly Found[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const each = Object.hasOwn(value, key) ? value[key] : undefined;
    if (each === undefined) return [];
    return [validated(each, property, { path: child(part.path, key), old: oldAt(part, key) })];
  });
}

function requiredFound(value: JsonObject, schema: Schema, path: string): Found {
  const missing = (schema.required ?? []).filter((key) => !Object.hasOwn(value, key));
  return broken(...missing.map((key) => required(child(path, key))));
}

function oldAt({ old }: Part, key: string): Json | undefined {
  return isJsonObject(old) && Object.hasOwn(old, key) ? old[key] : undefined;
}
