import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { CustomVersion } from '../../custom/definition.ts';
import { objectAt, textAt } from '../../custom/definition.ts';
import { once, parsePublished } from '../read-published.ts';
import { componentName } from './component-names.ts';
import { referencesIn } from './references.ts';

/** The kind, its list, and what of the published components they refer to. */
export function customComponents(definition: JsonObject, version: CustomVersion): JsonObject {
  const { type } = version;
  const names = objectAt(objectAt(definition, 'spec'), 'names');
  const listKind = textAt(names, 'listKind') || `${type.kind}List`;
  const name = componentName(type);
  return {
    [name]: ownComponent(version),
    [componentName({ ...type, kind: listKind })]: {
      description: `${listKind} is a list of ${type.kind}`,
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: text('apiVersion'),
        items: {
          description: `List of ${textAt(names, 'plural')}. More info: ${conventions}`,
          type: 'array',
          items: { $ref: `${prefix}${name}` },
        },
        kind: text('kind'),
        metadata: meta('ListMeta', 'Standard list metadata. More info: '),
      },
      'x-kubernetes-group-version-kind': [
        { group: type.group, kind: listKind, version: type.version },
      ],
    },
    ...sharedComponents(),
  };
}

const prefix = '#/components/schemas/';
const machinery = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const conventions =
  'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';

function ownComponent({ schema, type }: CustomVersion): JsonObject {
  const published = publishedSchema(asJson(schema), true);
  return {
    ...published,
    'x-kubernetes-group-version-kind': [
      { group: type.group, kind: type.kind, version: type.version },
    ],
  };
}

function publishedSchema(schema: JsonObject, isRoot: boolean): JsonObject {
  const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, below(key, value)]),
  );
  const either = schema['x-kubernetes-int-or-string'] === true && schema['anyOf'] === undefined;
  return {
    ...inner,
    ...(either ? { anyOf: [{ type: 'integer' }, { type: 'string' }] } : {}),
    ...(isResource
      ? { properties: { ...objectAt(inner, 'properties'), ...resource(schema, isRoot) } }
      : {}),
    ...(isResource && !isRoot ? { required: ['kind', 'apiVersion'] } : {}),
  };
}

/** A restriction of the names is the server's own business. */
function resource(schema: JsonObject, isRoot: boolean): JsonObject {
  const properties = objectAt(schema, 'properties');
  const typed = (key: 'apiVersion' | 'kind') => ({
    ...objectAt(properties, key),
    ...(isRoot ? text(key) : { type: 'string', description: embedded[key] }),
  });
  return {
    apiVersion: typed('apiVersion'),
    kind: typed('kind'),
    metadata: meta('ObjectMeta', "Standard object's metadata. More info: "),
  };
}

const embedded = {
  apiVersion: `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
  kind: `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
};

function below(key: string, value: Json): Json {
  if (key === 'properties' && isJsonObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        isJsonObject(each) ? publishedSchema(each, false) : each,
      ]),
    );
  const isSchema = key === 'items' || key === 'additionalProperties';
  return isSchema && isJsonObject(value) ? publishedSchema(value, false) : value;
}

function meta(kind: string, intro: string): JsonObject {
  const more = kind === 'ListMeta' ? '#types-kinds' : '#metadata';
  return {
    description: `${intro}${conventions}${more}`,
    allOf: [{ $ref: `${prefix}${machinery}${kind}` }],
  };
}

const published = once(() =>
  objectAt(objectAt(parsePublished('v3.apis.apps.v1.json'), 'components'), 'schemas'),
);

function text(key: 'apiVersion' | 'kind'): JsonObject {
  const deployment = objectAt(published(), 'io.k8s.api.apps.v1.Deployment');
  return objectAt(objectAt(deployment, 'properties'), key);
}

const shared = once(() => {
  const kinds = ['DeleteOptions', 'ListMeta', 'ObjectMeta', 'Patch', 'Status'];
  const names = new Set([
    ...kinds.map((kind) => `${machinery}${kind}`),
    'io.k8s.api.autoscaling.v1.Scale',
  ]);
  // A set grows while it is walked: what a component refers to is walked after it.
  for (const name of names) {
    const references = referencesIn(published()[name] ?? null);
    for (const each of references) names.add(each.slice(prefix.length));
  }
  return Object.fromEntries([...names].sort().map((name) => [name, published()[name] ?? {}]));
});

function sharedComponents(): JsonObject {
  return shared();
}

function asJson(schema: object): JsonObject {
  return isJsonObject(schema) ? schema : {};
}
