import type { Json } from '#shared/domain/json.ts';
import type { Schema } from '../../parts.ts';
import { knownFormat } from './formats.ts';
import { broken, type Found, held, wrongType } from './found.ts';
import type { Part } from './value.ts';

export function typeFound(value: Json, schema: Schema, { path }: Part): Found {
  const types = typesOf(schema);
  if (types.length === 0) return held;
  if (value === null) return schema['nullable'] === true ? held : wrong(path, types, 'null');
  // A format speaks for the string itself.
  if (isText(value, types) && knownFormat(schema) !== undefined) return held;
  const type = typeOf(value);
  const fits = types.includes(type) || (type === 'integer' && types.includes('number'));
  return fits ? held : wrong(path, types, type);
}

function isText(value: Json, types: readonly string[]): boolean {
  return typeof value === 'string' && !types.includes('number') && !types.includes('integer');
}

function typesOf(schema: Schema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
}

export function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function wrong(path: string, types: readonly string[], actual: string): Found {
  const detail = `${path} in body must be of type ${types.join(',')}: ${JSON.stringify(actual)}`;
  return broken(wrongType(path, actual, detail));
}
