import { type Json, sameJson } from '#shared/domain/json.ts';
import type { Schema } from '../../parts.ts';
import { combinedFound } from './combined.ts';
import { formatFound } from './formats.ts';
import { all, broken, type Found, held, notSupported } from './found.ts';
import { listFound } from './list.ts';
import { numberFound } from './number.ts';
import { objectFound } from './object.ts';
import { textFound } from './text.ts';
import { typeFound } from './type.ts';

/** `old` is the same part of the object before, where it can be told which that was; what did not change is not judged again. */
export type Part = { readonly path: string; readonly old?: Json | undefined };

export function validated(value: Json, schema: Schema, part: Part): Found {
  const found = value === null ? nullFound(schema, part) : everyFound(value, schema, part);
  const isUnchanged =
    found.errors.length > 0 && part.old !== undefined && sameJson(value, part.old);
  return isUnchanged ? held : found;
}

function nullFound(schema: Schema, part: Part): Found {
  return all([typeFound(null, schema, part), enumFound(null, schema, part)]);
}

/** In the order of the server's validators, which is the order of its messages. */
function everyFound(value: Json, schema: Schema, part: Part): Found {
  return all([
    typeFound(value, schema, part),
    combinedFound(value, schema, part),
    ...(typeof value === 'string'
      ? [textFound(value, schema, part), formatFound(value, schema, part)]
      : []),
    ...(typeof value === 'number' ? [numberFound(value, schema, part)] : []),
    listFound(value, schema, part),
    enumFound(value, schema, part),
    objectFound(value, schema, part),
    held,
  ]);
}

function enumFound(value: Json, schema: Schema, { path }: Part): Found {
  const { enum: values } = schema;
  if (!Array.isArray(values) || values.length === 0) return held;
  return values.some((each) => sameJson(each, value))
    ? held
    : broken(notSupported(path, value, values));
}
