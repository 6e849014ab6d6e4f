import { isJsonObject } from '#shared/domain/json.ts';
import type { FieldError, Schema } from '../../parts.ts';
import { asSchema, objectAt, objectsAt, textAt } from '../definition.ts';
import { duplicate, forbidden, invalid, required } from '../valid/found.ts';
import { defaultErrors } from './default-errors.ts';
import { findPath } from './field-path.ts';
import { dumpSchema } from './go-dump.ts';
import type { Part, Placed } from './hoisted.ts';
import { columnErrors, subresourceErrors } from './printed-and-scaled.ts';
import { ruleProblems } from './rule-problems.ts';
import { schemaErrors } from './schema-errors.ts';
import { structuralErrors } from './structural.ts';

/** What is wrong with one part of a version, told where it was put. */
export const partErrors: Readonly<Record<Part, (placed: Placed) => readonly FieldError[]>> = {
  schema: (placed) => {
    const stated = isJsonObject(placed.value) ? placed.value['openAPIV3Schema'] : undefined;
    if (!isJsonObject(stated)) return [];
    const hasStatus = isJsonObject(objectAt(placed.version, 'subresources')['status']);
    const path = `${placed.path}.openAPIV3Schema`;
    return [
      ...(hasStatus ? statusRootErrors(asSchema(stated), path) : []),
      ...wholeErrors(asSchema(stated), path),
    ];
  },
  subresources: ({ value, path }) => (isJsonObject(value) ? subresourceErrors(value, path) : []),
  additionalPrinterColumns: ({ version, path }) =>
    objectsAt(version, 'additionalPrinterColumns').flatMap((column, index) =>
      columnErrors(column, `${path}[${index}]`),
    ),
  selectableFields: selectableErrors,
};

/** One kind of errors hides the next: rules are compiled against a sound schema only. */
function wholeErrors(schema: Schema, path: string): readonly FieldError[] {
  const nullable =
    schema['nullable'] === true
      ? [forbidden(`${path}.nullable`, 'nullable cannot be true at the root')]
      : [];
  const general = schemaErrors(schema, { path, isRoot: true });
  if (general.some(isUnreadable)) return [...nullable, ...general];
  const structural = structuralErrors(schema, path);
  const own = structural.length > 0 ? structural : defaultErrors(schema, path);
  if (own.length + general.length > 0) return [...nullable, ...own, ...general];
  return [...nullable, ...ruleProblems(schema, { path, isRoot: true, uncorrelated: undefined })];
}

/** No structural schema can be made of these at all. */
function isUnreadable({ message }: FieldError): boolean {
  return / is not supported$|^Forbidden: type cannot be set to null|are mutual exclusive$/.test(
    message,
  );
}

const allowedAtRoot =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations';
const forbiddenAtRoot = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'enum',
  'minProperties',
  'maxProperties',
  'default',
  'nullable',
];

/** The status is judged alone by its own schema, so nothing at the root may judge it. */
function statusRootErrors(schema: Schema, path: string): readonly FieldError[] {
  if (schema.type !== 'object') {
    const why =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(`${path}.type`, schema.type ?? '', why)];
  }
  if (forbiddenAtRoot.every((key) => schema[key] === undefined)) return [];
  const why = `only [${allowedAtRoot}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalid(path, dumpSchema(isJsonObject(schema) ? schema : null), why)];
}

function selectableErrors({ version, path }: Placed): readonly FieldError[] {
  const schema = asSchema(objectAt(objectAt(version, 'schema'), 'openAPIV3Schema'));
  const paths = objectsAt(version, 'selectableFields').map((each) => textAt(each, 'jsonPath'));
  return paths.flatMap((each, index) => {
    const at = `${path}[${index}].jsonPath`;
    if (each === '') return [required(at)];
    const found = findPath(each, schema, false);
    if ('why' in found) return [invalid(at, each, `is an invalid path: ${found.why}`)];
    return [
      ...selectedErrors(each, found.schema, at),
      ...(paths.indexOf(each) < index ? [duplicate(at, each)] : []),
    ];
  });
}

function selectedErrors(path: string, { type }: Schema, at: string): readonly FieldError[] {
  const isScalar = type === 'string' || type === 'boolean' || type === 'integer';
  const why =
    'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
  return [
    ...(path.startsWith('.metadata.')
      ? [invalid(at, path, 'must not point to fields in metadata')]
      : []),
    ...(isScalar ? [] : [invalid(at, path, why)]),
  ];
}
