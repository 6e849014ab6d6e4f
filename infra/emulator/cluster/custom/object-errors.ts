import type { Json, JsonObject } from '#shared/domain/json.ts';
import type { FieldError, Schema } from '../parts.ts';
import { hasRules, ruleErrors } from './cel/rule-errors.ts';
import type { CustomVersion } from './definition.ts';
import { embeddedErrors } from './embedded.ts';
import { scaleErrors, scaleStatusErrors } from './scale.ts';
import { invalid, nowhere } from './valid/found.ts';
import { uniqueErrors } from './valid/unique.ts';
import { validated } from './valid/value.ts';

export function objectErrors(
  next: JsonObject,
  before: JsonObject | undefined,
  version: CustomVersion,
): readonly FieldError[] {
  const { schema, scale } = version;
  return withRules(next, before, version, [
    ...validated(next, schema, { path: '', old: before }).errors,
    ...scaleErrors(next, scale),
    ...embeddedErrors(next, schema, ''),
    ...repeatedErrors(next, before, schema),
  ]);
}

/** Only the status is judged by its schema, as if it were all; the rules see the whole. */
export function statusErrors(
  next: JsonObject,
  before: JsonObject,
  version: CustomVersion,
): readonly FieldError[] {
  const { schema, scale } = version;
  const status = next['status'];
  const own =
    status === undefined
      ? []
      : validated(status, schema.properties?.['status'] ?? {}, { path: '', old: before['status'] })
          .errors;
  return withRules(next, before, version, [
    ...own.map(below('status')),
    ...scaleStatusErrors(next, scale),
    ...embeddedErrors(next, schema, ''),
    ...repeatedErrors(next, before, schema),
  ]);
}

function below(path: string): (error: FieldError) => FieldError {
  return (error) => ({
    ...error,
    field: error.field === nowhere ? path : `${path}.${error.field}`,
  });
}

/** Objects that were let in with repeated items may keep them. */
function repeatedErrors(next: JsonObject, before: JsonObject | undefined, schema: Schema) {
  const wasRepeated = before !== undefined && uniqueErrors(before, schema, '').length > 0;
  return wasRepeated ? [] : uniqueErrors(next, schema, '');
}

const blocking: ReadonlySet<FieldError['reason']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const unchecked = invalid(
  '',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

function withRules(
  next: JsonObject,
  before: Json | undefined,
  { schema }: CustomVersion,
  errors: readonly FieldError[],
): readonly FieldError[] {
  if (!hasRules(schema)) return errors;
  if (errors.some(({ reason }) => blocking.has(reason))) return [...errors, unchecked];
  return [...errors, ...ruleErrors(next, schema, { path: '', old: before, isRoot: true })];
}
