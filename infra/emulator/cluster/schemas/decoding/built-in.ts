import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { Schema } from '../../parts.ts';
import { goName } from '../link.ts';
import { field, mismatch, type Place, pathOf, start, within } from './findings.ts';
import { goKind, goType, structName, valuesOf } from './go-type.ts';
import { scalarOf } from './scalars.ts';

/** What a value is after it went through the Go type that its schema was made from; `undefined` where nothing is left. */
export function throughGo(value: Json, schema: Schema, at: Place): Json {
  if (schema.properties !== undefined) return struct(value, schema, at);
  if (schema.type === 'array') return list(value, schema, at);
  if (schema.type === 'object' && schema.additionalProperties !== undefined)
    return map(value, schema, at);
  if (isOpaque(schema)) return value;
  return scalarOf(value, schema, at);
}

/** `RawExtension`, `JSON`, `FieldsV1`: bytes to the server, kept as they are. */
function isOpaque(schema: Schema): boolean {
  if (schema['x-kubernetes-int-or-string'] === true || schema[goName] === 'resource.Quantity')
    return false;
  return schema.type === undefined || schema.type === 'object';
}

function struct(value: Json, schema: Schema, at: Place): Json {
  if (value === null) return throughGo({}, schema, at);
  if (!isJsonObject(value)) return wrong(value, schema, at);
  const name = structName(schema);
  const properties = schema.properties ?? {};
  const decoded: Record<string, Json> = {};
  for (const [key, each] of Object.entries(value)) {
    const place = field(at, name, key);
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) at.found.unknown.push(pathOf(place));
    else if (each !== null) keep(decoded, key, throughGo(each, property, place), schema);
  }
  return { ...decoded, ...zeroStructs(decoded, schema, at) };
}

/** A list or map without an entry is none: `omitempty`, which nearly all of them have that nobody must state. */
function keep(into: Record<string, Json>, key: string, value: Json, schema: Schema): void {
  const property = schema.properties?.[key] ?? {};
  const isMap = property.type === 'object' && property.properties === undefined;
  const isEmpty =
    (property.type === 'array' && Array.isArray(value) && value.length === 0) ||
    (isMap && property.additionalProperties !== undefined && sizeOf(value) === 0);
  if (!isEmpty || schema.required?.includes(key) === true) into[key] = value;
}

function sizeOf(value: Json): number {
  return isJsonObject(value) ? Object.keys(value).length : 1;
}

/** A struct that is no pointer is always there; the document says so by its default, `{}`. */
function zeroStructs(decoded: JsonObject, schema: Schema, { found }: Place): JsonObject {
  const missing = structsOf(schema).filter(([key]) => decoded[key] === undefined);
  if (missing.length === 0) return {};
  const nowhere = start(found);
  return Object.fromEntries(
    missing.map(([key, property]) => [key, throughGo({}, property, nowhere)]),
  );
}

const structs = new WeakMap<Schema, readonly (readonly [string, Schema])[]>();

function structsOf(schema: Schema): readonly (readonly [string, Schema])[] {
  const known = structs.get(schema);
  if (known !== undefined) return known;
  const all = Object.entries(schema.properties ?? {}).filter(
    ([, { properties, default: zero }]) => properties !== undefined && zero !== undefined,
  );
  structs.set(schema, all);
  return all;
}

function list(value: Json, schema: Schema, at: Place): Json {
  if (!Array.isArray(value)) return wrong(value, schema, at);
  const items = schema.items ?? {};
  return value.map((each: Json, index) => throughGo(each, items, within(at, index)));
}

function map(value: Json, schema: Schema, at: Place): Json {
  if (!isJsonObject(value)) return wrong(value, schema, at);
  const values = valuesOf(schema);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, throughGo(each, values, within(at, key))]),
  );
}

function wrong(value: Json, schema: Schema, at: Place): Json {
  mismatch(at, goType(schema), goKind(value));
  return null;
}
