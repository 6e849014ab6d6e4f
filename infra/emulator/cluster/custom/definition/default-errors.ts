import { isJsonObject, type Json } from '#shared/domain/json.ts';
import type { FieldError, Schema } from '../../parts.ts';
import { pruned } from '../../schemas/decoding/custom.ts';
import { fieldOf, invalid, nowhere } from '../valid/found.ts';
import { valuesOf } from '../valid/keyword.ts';
import { uniqueErrors } from '../valid/unique.ts';
import { validated } from '../valid/value.ts';

/** A default must be what its own schema lets in, and nothing of it may be pruned. */
export function defaultErrors(schema: Schema, path: string): readonly FieldError[] {
  const { items, properties = {}, default: value } = schema;
  const values = valuesOf(schema);
  return [
    ...(value === undefined ? [] : errorsOf(asJson(value), schema, `${path}.default`)),
    ...(items === undefined ? [] : defaultErrors(items, `${path}.items`)),
    ...(values === undefined ? [] : defaultErrors(values, `${path}.additionalProperties`)),
    ...Object.entries(properties).flatMap(([key, each]) =>
      defaultErrors(each, `${path}.properties[${key}]`),
    ),
  ];
}

function errorsOf(value: Json, schema: Schema, path: string): readonly FieldError[] {
  if (hasUnknown(value, schema)) return [invalid(path, value, 'must not have unknown fields')];
  const errors = [
    ...validated(value, schema, { path: '' }).errors,
    ...uniqueErrors(value, schema, ''),
  ];
  return errors.map((error) => ({
    ...error,
    field: error.field === nowhere ? fieldOf(path) : `${path}.${error.field}`,
  }));
}

/** Pruning asks for an object, so the value stands in one for a moment. */
function hasUnknown(value: Json, schema: Schema): boolean {
  const found = { wrong: undefined, unknown: [] };
  pruned({ value }, { type: 'object', properties: { value: schema } }, found);
  return found.unknown.length > 0;
}

function asJson(value: unknown): Json {
  return isJsonObject(value) || Array.isArray(value) ? value : (value as Json);
}
