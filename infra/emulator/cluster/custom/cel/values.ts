import { parse } from '@marcbachmann/cel-js';
import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { Schema } from '../../parts.ts';
import { propertyOf, valuesOf } from '../valid/keyword.ts';
import { escaped } from './escape.ts';

/** What a rule sees: whole numbers as BigInt, dates as dates, and only what the schema names. */
export function toCel(value: Json, schema: Schema | undefined): unknown {
  if (isList(value)) return value.map((item) => toCel(item, schema?.items));
  if (isJsonObject(value)) return mapOf(value, schema ?? {});
  if (typeof value === 'number') return numberOf(value, schema);
  return typeof value === 'string' ? textOf(value, schema) : value;
}

/** A Map, since the library asks an object for its `constructor`, and a label may be called that. */
function mapOf(value: JsonObject, schema: Schema): ReadonlyMap<string, unknown> {
  const entries = Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
    const property = propertyOf(schema, key) ?? metaOf(schema, key);
    if (property === undefined) return keyed(schema, key, each);
    const name = escaped(key);
    return name === undefined ? [] : [[name, toCel(each, property)]];
  });
  return new Map(entries);
}

function keyed(schema: Schema, key: string, value: Json): [string, unknown][] {
  const values = valuesOf(schema);
  return values === undefined ? [] : [[key, toCel(value, values)]];
}

const text: Schema = { type: 'string' };

/** Of the metadata a rule sees the name alone. */
export const metaSchemas: Readonly<Record<string, Schema>> = {
  apiVersion: text,
  kind: text,
  metadata: { type: 'object', properties: { name: text, generateName: text } },
};

function metaOf(schema: Schema, key: string): Schema | undefined {
  return schema['x-kubernetes-embedded-resource'] === true ? metaSchemas[key] : undefined;
}

const durationOf = parse('duration(text)');

function numberOf(value: number, schema: Schema | undefined): unknown {
  return schema?.type === 'number' || !Number.isSafeInteger(value) ? value : BigInt(value);
}

function textOf(value: string, schema: Schema | undefined): unknown {
  switch (schema?.format) {
    case 'date':
    case 'date-time':
    case 'datetime':
      return new Date(value);
    case 'duration':
      return durationOf({ text: value });
    case 'byte':
      return new Uint8Array(Buffer.from(value, 'base64'));
    default:
      return value;
  }
}
