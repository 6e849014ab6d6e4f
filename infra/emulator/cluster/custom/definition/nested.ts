import type { FieldError, Schema } from '../../parts.ts';
import { forbidden } from '../valid/found.ts';
import { isTrueAt, schemaAt, schemasAt } from '../valid/keyword.ts';

const empty = ['type', 'title', 'description'] as const;
const undefinedOnes = [
  'default',
  'additionalProperties',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
] as const;
const untrue = [
  'nullable',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
] as const;
const emptyLists = ['x-kubernetes-list-map-keys', 'x-kubernetes-validations'] as const;

/** Below `anyOf` and the like nothing may be described that is not described above. */
export function nestedErrors(schema: Schema, path: string): readonly FieldError[] {
  const must = (keys: readonly string[], what: string) =>
    keys.map((key) => forbidden(`${path}.${key}`, `must be ${what} to be structural`));
  return [
    ...deeperErrors(schema, path),
    ...must(
      empty.filter((key) => (schema[key] ?? '') !== ''),
      'empty',
    ),
    ...must(
      undefinedOnes.filter((key) => schema[key] !== undefined),
      'undefined',
    ),
    ...must(
      untrue.filter((key) => isTrueAt(schema, key)),
      'false',
    ),
    ...must(
      emptyLists.filter((key) => isFilled(schema[key])),
      'empty',
    ),
    ...(schema.properties?.['metadata'] === undefined
      ? []
      : [forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context')]),
  ];
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function deeperErrors(schema: Schema, path: string): readonly FieldError[] {
  const { items, properties = {} } = schema;
  const not = schemaAt(schema, 'not');
  return [
    ...(['anyOf', 'allOf', 'oneOf'] as const).flatMap((key) =>
      schemasAt(schema, key).flatMap((each, index) =>
        nestedErrors(each, `${path}.${key}[${index}]`),
      ),
    ),
    ...(not === undefined ? [] : nestedErrors(not, `${path}.not`)),
    ...(items === undefined ? [] : nestedErrors(items, `${path}.items`)),
    ...Object.entries(properties).flatMap(([key, each]) =>
      nestedErrors(each, `${path}.properties[${key}]`),
    ),
  ];
}
