import { isJsonObject } from '#shared/domain/json.ts';
import type { Schema } from '../../parts.ts';

/** Readers of what a schema states; a definition was decoded when it was written, so a wrong type is no keyword. */
export function numberAt(schema: Schema, key: string): number | undefined {
  const value = schema[key];
  return typeof value === 'number' ? value : undefined;
}

export function textAt(schema: Schema, key: string): string | undefined {
  const value = schema[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function isTrueAt(schema: Schema, key: string): boolean {
  return schema[key] === true;
}

export function schemaAt(schema: Schema, key: string): Schema | undefined {
  const value = schema[key];
  return isSchema(value) ? value : undefined;
}

export function schemasAt(schema: Schema, key: string): readonly Schema[] {
  const value = schema[key];
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

export function propertyOf(schema: Schema, key: string): Schema | undefined {
  const { properties } = schema;
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** Of the values that no property names. */
export function valuesOf({ additionalProperties }: Schema): Schema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

function isSchema(value: unknown): value is Schema {
  return isJsonObject(value);
}
