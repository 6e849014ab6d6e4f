import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';

/** The server prints a refused part of a definition as its own Go type, every field of it. */
export function dumpVersions(versions: readonly JsonObject[]): Json {
  return versions.map((version) => dump(version, versionFields));
}

export function dumpRule(rule: JsonObject): Json {
  return dump(rule, ruleFields);
}

export function dumpSchema(schema: Json): Json {
  return isJsonObject(schema) ? dump(schema, schemaFields) : schema;
}

/** A Go field, the key of it, and what Go has there when nothing is stated. */
type Field = readonly [go: string, key: string, zero: Json];

const versionFields = fields(`Name name "", Served served false, Storage storage false,
  Deprecated deprecated false, DeprecationWarning deprecationWarning null, Schema schema null,
  Subresources subresources null, AdditionalPrinterColumns additionalPrinterColumns null,
  SelectableFields selectableFields null`);

const ruleFields = fields(`Rule rule "", Message message "", MessageExpression messageExpression "",
  Reason reason null, FieldPath fieldPath "", OptionalOldSelf optionalOldSelf null`);

const schemaFields = fields(`ID id "", Schema $schema "", Ref $ref null, Description description "",
  Type type "", Nullable nullable false, Format format "", Title title "", Default default null,
  Maximum maximum null, ExclusiveMaximum exclusiveMaximum false, Minimum minimum null,
  ExclusiveMinimum exclusiveMinimum false, MaxLength maxLength null, MinLength minLength null,
  Pattern pattern "", MaxItems maxItems null, MinItems minItems null, UniqueItems uniqueItems false,
  MultipleOf multipleOf null, Enum enum null, MaxProperties maxProperties null,
  MinProperties minProperties null, Required required null, Items items null, AllOf allOf null,
  OneOf oneOf null, AnyOf anyOf null, Not not null, Properties properties null,
  AdditionalProperties additionalProperties null, PatternProperties patternProperties null,
  Dependencies dependencies null, AdditionalItems additionalItems null, Definitions definitions null,
  ExternalDocs externalDocs null, Example example null,
  XPreserveUnknownFields x-kubernetes-preserve-unknown-fields null,
  XEmbeddedResource x-kubernetes-embedded-resource false,
  XIntOrString x-kubernetes-int-or-string false, XListMapKeys x-kubernetes-list-map-keys null,
  XListType x-kubernetes-list-type null, XMapType x-kubernetes-map-type null,
  XValidations x-kubernetes-validations null`);

function fields(text: string): readonly Field[] {
  return text.split(',').map((each) => {
    const [go = '', key = '', zero = 'null'] = each.trim().split(' ');
    return [go, key, JSON.parse(zero)];
  });
}

function dump(object: JsonObject, all: readonly Field[]): Json {
  return Object.fromEntries(
    all.map(([go, key, zero]) => {
      const value = object[key];
      return [go, value === undefined ? zero : (inner[key]?.(value) ?? value)];
    }),
  );
}

const inner: Readonly<Record<string, (value: Json) => Json>> = {
  schema: (value) => ({
    OpenAPIV3Schema: dumpSchema(isJsonObject(value) ? (value['openAPIV3Schema'] ?? null) : null),
  }),
  items: (value) => ({ Schema: dumpSchema(value), JSONSchemas: null }),
  additionalProperties: (value) =>
    isJsonObject(value)
      ? { Allows: true, Schema: dumpSchema(value) }
      : { Allows: value, Schema: null },
  not: dumpSchema,
  allOf: dumpSchemas,
  oneOf: dumpSchemas,
  anyOf: dumpSchemas,
  properties: (value) =>
    Object.fromEntries(
      Object.entries(isJsonObject(value) ? value : {}).map(([key, each]) => [
        key,
        dumpSchema(each),
      ]),
    ),
  'x-kubernetes-validations': (value) =>
    isList(value) ? value.filter(isJsonObject).map(dumpRule) : value,
};

function dumpSchemas(value: Json): Json {
  return isList(value) ? value.map(dumpSchema) : value;
}
