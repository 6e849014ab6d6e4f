import type { FieldError, Schema } from '../../parts.ts';
import { forbidden, invalid, notSupported, required } from '../valid/found.ts';
import { isTrueAt, schemaAt, schemasAt, valuesOf } from '../valid/keyword.ts';
import { listTypeErrors } from './list-type.ts';
import { ruleTextErrors } from './rule-text.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const unsupported = ['additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

export type Where = {
  readonly path: string;
  readonly isRoot: boolean;
  /** Why no default may be stated. */
  readonly noDefault?: string;
};

/** What holds for each schema in a definition, structural or not. */
export function schemaErrors(schema: Schema, where: Where): readonly FieldError[] {
  const { path } = where;
  return [
    ...ownErrors(schema, where),
    ...(isTrueAt(schema, 'uniqueItems')
      ? [
          forbidden(
            `${path}.uniqueItems`,
            'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
          ),
        ]
      : []),
    ...valuesErrors(schema, path),
    ...propertiesErrors(schema, where),
    ...junctorErrors(schema, path),
    ...(schema.items === undefined
      ? []
      : schemaErrors(schema.items, { path: `${path}.items`, isRoot: false })),
    ...(schema['x-kubernetes-preserve-unknown-fields'] === false
      ? [
          invalid(
            `${path}.x-kubernetes-preserve-unknown-fields`,
            false,
            'must be true or undefined',
          ),
        ]
      : []),
    ...mapTypeErrors(schema, path),
    ...listTypeErrors(schema, path),
    ...ruleTextErrors(schema, path),
  ];
}

function ownErrors(schema: Schema, { path, noDefault }: Where): readonly FieldError[] {
  const type: string = schema.type ?? '';
  return [
    ...(type === '' || types.includes(type) ? [] : [notSupported(`${path}.type`, type, types)]),
    ...(schema.default !== undefined && noDefault !== undefined
      ? [forbidden(`${path}.default`, `must not be set ${noDefault}`)]
      : []),
    ...unsupported
      .filter((key) => schema[key] !== undefined)
      .map((key) => forbidden(`${path}.${key}`, `${key} is not supported`)),
    ...(type === 'null'
      ? [forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative')]
      : []),
  ];
}

function valuesErrors(schema: Schema, path: string): readonly FieldError[] {
  const { additionalProperties, properties = {} } = schema;
  const values = valuesOf(schema);
  const isBoth =
    additionalProperties !== undefined &&
    additionalProperties !== true &&
    Object.keys(properties).length > 0;
  return [
    ...(isBoth
      ? [
          forbidden(
            `${path}.additionalProperties`,
            'additionalProperties and properties are mutual exclusive',
          ),
        ]
      : []),
    ...(values === undefined
      ? []
      : schemaErrors(values, { path: `${path}.additionalProperties`, isRoot: false })),
  ];
}

const meta: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion']);

function propertiesErrors(schema: Schema, where: Where): readonly FieldError[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, each]) => {
    const isTop = where.isRoot && meta.has(key);
    const noDefault = isTop ? `in top-level ${key}` : where.noDefault;
    const path = `${where.path}.properties[${key}]`;
    return schemaErrors(each, {
      path,
      isRoot: false,
      ...(noDefault === undefined ? {} : { noDefault }),
    });
  });
}

function junctorErrors(schema: Schema, path: string): readonly FieldError[] {
  const not = schemaAt(schema, 'not');
  return [
    ...(not === undefined ? [] : schemaErrors(not, { path: `${path}.not`, isRoot: false })),
    ...['allOf', 'oneOf', 'anyOf'].flatMap((key) =>
      schemasAt(schema, key).flatMap((each, index) =>
        schemaErrors(each, { path: `${path}.${key}[${index}]`, isRoot: false }),
      ),
    ),
  ];
}

function mapTypeErrors(schema: Schema, path: string): readonly FieldError[] {
  const stated: unknown = schema['x-kubernetes-map-type'];
  if (typeof stated !== 'string') return [];
  const why = 'must be object if x-kubernetes-map-type is specified';
  const { type } = schema;
  return [
    ...(type === 'object'
      ? []
      : [type === undefined ? required(`${path}.type`, why) : invalid(`${path}.type`, type, why)]),
    ...(stated === 'atomic' || stated === 'granular'
      ? []
      : [notSupported(`${path}.x-kubernetes-map-type`, stated, ['atomic', 'granular'])]),
  ];
}
