import type { FieldError, Schema } from '../../parts.ts';
import { forbidden, invalid, required } from '../valid/found.ts';
import { compiledGo } from '../valid/go-pattern.ts';
import { isTrueAt, schemaAt, schemasAt, textAt, valuesOf } from '../valid/keyword.ts';
import { metadataErrors } from './metadata-schema.ts';
import { nestedErrors } from './nested.ts';

type Level = 'root' | 'items' | 'field';

/** What makes a schema structural, in the order in which the server tells it: by its text. */
export function structuralErrors(schema: Schema, path: string): readonly FieldError[] {
  const errors = [...invariants(schema, 'root', path), ...completeness(schema, path)];
  return errors.sort((one, other) => (told(one) < told(other) ? -1 : 1));
}

function told({ field, message }: FieldError): string {
  return `${field}: ${message}`;
}

function invariants(schema: Schema, level: Level, path: string): readonly FieldError[] {
  return [
    ...belowErrors(schema, path),
    ...(level === 'root' && schema.additionalProperties !== undefined
      ? [forbidden(`${path}.additionalProperties`, 'must not be used at the root')]
      : []),
    ...extensionErrors(schema, path),
    ...valueErrors(schema, path),
    ...typeErrors(schema, level, path),
    ...metadataErrors(schema, level === 'root', path),
    ...embeddedErrors(schema, path),
  ];
}

function belowErrors(schema: Schema, path: string): readonly FieldError[] {
  const { items, properties = {} } = schema;
  const values = valuesOf(schema);
  return [
    ...(schema.type === 'array' && items === undefined
      ? [required(`${path}.items`, 'must be specified')]
      : []),
    ...(items === undefined ? [] : invariants(items, 'items', `${path}.items`)),
    ...Object.entries(properties).flatMap(([key, each]) =>
      invariants(each, 'field', `${path}.properties[${key}]`),
    ),
    ...(values === undefined ? [] : invariants(values, 'field', `${path}.additionalProperties`)),
  ];
}

function extensionErrors(schema: Schema, path: string): readonly FieldError[] {
  if (!isTrueAt(schema, 'x-kubernetes-int-or-string')) return [];
  const others = ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'];
  return others
    .filter((key) => isTrueAt(schema, key))
    .map((key) =>
      invalid(`${path}.${key}`, true, 'must be false if x-kubernetes-int-or-string is true'),
    );
}

/** Below a junctor only values are judged; that a number or text is either is the one exception. */
function valueErrors(schema: Schema, path: string): readonly FieldError[] {
  const [first] = schemasAt(schema, 'allOf');
  const isEither = isIntOrString(schemasAt(schema, 'anyOf'));
  const isFirstEither = first !== undefined && isIntOrString(schemasAt(first, 'anyOf'));
  const pattern = textAt(schema, 'pattern');
  return [
    ...(isEither ? [] : nestedIn(schema, 'anyOf', path)),
    ...schemasAt(schema, 'allOf').flatMap((each, index) => {
      const judged = isFirstEither && index === 0 ? { ...each, anyOf: [] } : each;
      return nestedErrors(judged, `${path}.allOf[${index}]`);
    }),
    ...nestedIn(schema, 'oneOf', path),
    ...nestedNot(schema, path),
    ...(pattern === undefined || compiledGo(pattern) !== undefined
      ? []
      : [
          invalid(
            `${path}.pattern`,
            pattern,
            `must be a valid regular expression, but isn't: error parsing regexp: \`${pattern}\``,
          ),
        ]),
  ];
}

function nestedIn(schema: Schema, key: 'anyOf' | 'oneOf', path: string): readonly FieldError[] {
  return schemasAt(schema, key).flatMap((each, index) =>
    nestedErrors(each, `${path}.${key}[${index}]`),
  );
}

function nestedNot(schema: Schema, path: string): readonly FieldError[] {
  const not = schemaAt(schema, 'not');
  return not === undefined ? [] : nestedErrors(not, `${path}.not`);
}

function isIntOrString(anyOf: readonly Schema[]): boolean {
  return JSON.stringify(anyOf) === '[{"type":"integer"},{"type":"string"}]';
}

const emptyAt: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  items: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function typeErrors(schema: Schema, level: Level, path: string): readonly FieldError[] {
  const at = `${path}.type`;
  const { type } = schema;
  if (isTrueAt(schema, 'x-kubernetes-embedded-resource') && type !== 'object') {
    const why = 'must be object if x-kubernetes-embedded-resource is true';
    return [type === undefined ? required(at, why) : invalid(at, type, why)];
  }
  if (type !== undefined)
    return level === 'root' && type !== 'object'
      ? [invalid(at, type, 'must be object at the root')]
      : [];
  const isFree =
    isTrueAt(schema, 'x-kubernetes-int-or-string') ||
    isTrueAt(schema, 'x-kubernetes-preserve-unknown-fields');
  return isFree ? [] : [required(at, emptyAt[level])];
}

function embeddedErrors(schema: Schema, path: string): readonly FieldError[] {
  if (!isTrueAt(schema, 'x-kubernetes-embedded-resource')) return [];
  const isEmpty =
    !isTrueAt(schema, 'x-kubernetes-preserve-unknown-fields') &&
    Object.keys(schema.properties ?? {}).length === 0;
  const why =
    'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
  return [
    ...(schema.additionalProperties === undefined
      ? []
      : [
          forbidden(
            `${path}.additionalProperties`,
            'must not be used if x-kubernetes-embedded-resource is set',
          ),
        ]),
    ...(isEmpty ? [required(`${path}.properties`, why)] : []),
  ];
}

/** What a junctor of the root judges must be there without it; the server looks no deeper. */
function completeness(schema: Schema, path: string): readonly FieldError[] {
  return (['anyOf', 'allOf', 'oneOf'] as const).flatMap((key) =>
    schemasAt(schema, key).flatMap((each, index) =>
      Object.keys(each.properties ?? {})
        .filter((name) => schema.properties?.[name] === undefined)
        .map((name) =>
          required(
            `${path}.properties[${name}]`,
            `because it is defined in ${path}.${key}[${index}].properties[${name}]`,
          ),
        ),
    ),
  );
}
