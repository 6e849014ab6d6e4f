import type { Environment } from '@marcbachmann/cel-js';
import type { Schema } from '../../parts.ts';
import { isTrueAt, valuesOf } from '../valid/keyword.ts';
import { escaped } from './escape.ts';
import { registerStructure } from './structure.ts';
import { metaSchemas } from './values.ts';

/** Declares what a schema describes, so that a rule with a field that is not there is refused when it is written. */
export function declare(to: Environment, name: string, schema: Schema): string {
  if (isTrueAt(schema, 'x-kubernetes-int-or-string')) return 'dyn';
  const scalar = scalarType(schema);
  if (scalar !== undefined) return scalar;
  if (schema.type === 'array') return `list<${declare(to, `${name}.at_idx`, schema.items ?? {})}>`;
  if (schema.type !== 'object') return 'dyn';
  const values = valuesOf(schema);
  if (values !== undefined) return `map<string, ${declare(to, `${name}.at_elem`, values)}>`;
  return declareObject(to, name, schema);
}

function declareObject(to: Environment, name: string, schema: Schema): string {
  const isResource = isTrueAt(schema, 'x-kubernetes-embedded-resource');
  const properties = { ...schema.properties, ...(isResource ? metaSchemas : {}) };
  const fields = Object.entries(properties).flatMap(([key, property]): [string, string][] => {
    const field = escaped(key);
    return field === undefined ? [] : [[field, declare(to, `${name}.${field}`, property)]];
  });
  if (fields.length === 0) return 'dyn';
  registerStructure(to, name, Object.fromEntries(fields));
  return name;
}

function scalarType({ type, format }: Schema): string | undefined {
  switch (type) {
    case 'boolean':
      return 'bool';
    case 'integer':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return textType(format);
    default:
      return undefined;
  }
}

function textType(format: string | undefined): string {
  if (format === 'byte') return 'bytes';
  if (format === 'duration') return 'google.protobuf.Duration';
  return /^date(-?time)?$/.test(format ?? '') ? 'google.protobuf.Timestamp' : 'string';
}
