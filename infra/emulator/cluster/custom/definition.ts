import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { GroupVersionKind, Schema } from '../parts.ts';
import { customRoot, customStatus } from '../schemas/decode.ts';
import { objectMeta } from '../schemas/open-schemas.ts';
import { byPriority } from './version-priority.ts';

/** What a CustomResourceDefinition says of one of its versions; read once, kept as long as the definition. */
export type CustomVersion = {
  readonly type: GroupVersionKind;
  readonly served: boolean;
  readonly storage: boolean;
  /** Of a version that is to go: what every request is told. */
  readonly deprecation: string | undefined;
  /** As stated: what validation, defaults and pruning go by. */
  readonly schema: Schema;
  /** With type and metadata, which every object has: what is published, decoded and merged by. */
  readonly whole: Schema;
  readonly hasStatus: boolean;
  readonly scale: Scale | undefined;
  readonly columns: readonly Column[];
  readonly selectable: readonly string[];
};

export type Scale = {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  readonly labelSelector: string | undefined;
};

export type Column = {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  readonly jsonPath: string;
};

const read = new WeakMap<JsonObject, readonly CustomVersion[]>();

export function versionsOf(definition: JsonObject): readonly CustomVersion[] {
  const known = read.get(definition);
  if (known !== undefined) return known;
  const spec = objectAt(definition, 'spec');
  const versions = objectsAt(spec, 'versions').map((version) => versionIn(spec, version));
  read.set(definition, versions);
  return versions;
}

export function findVersion(definition: JsonObject, version: string): CustomVersion | undefined {
  return versionsOf(definition).find(({ type }) => type.version === version);
}

function versionIn(spec: JsonObject, version: JsonObject): CustomVersion {
  const type = {
    group: textAt(spec, 'group'),
    version: textAt(version, 'name'),
    kind: textAt(objectAt(spec, 'names'), 'kind'),
  };
  const schema: Schema = asSchema(objectAt(objectAt(version, 'schema'), 'openAPIV3Schema'));
  const subresources = objectAt(version, 'subresources');
  const hasStatus = isJsonObject(subresources['status']);
  return {
    type,
    served: version['served'] === true,
    storage: version['storage'] === true,
    deprecation: deprecationOf(version, type, objectsAt(spec, 'versions')),
    schema,
    whole: wholeOf(schema, hasStatus),
    hasStatus,
    scale: scaleIn(subresources['scale']),
    columns: objectsAt(version, 'additionalPrinterColumns').map(columnIn),
    selectable: objectsAt(version, 'selectableFields').map((each) => textAt(each, 'jsonPath')),
  };
}

function wholeOf(schema: Schema, hasStatus: boolean): Schema {
  return {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: objectMeta(),
    },
    [customRoot]: true,
    [customStatus]: hasStatus,
  };
}

/** With the best of the later versions that stays. */
function deprecationOf(
  version: JsonObject,
  type: GroupVersionKind,
  all: readonly JsonObject[],
): string | undefined {
  if (version['deprecated'] !== true) return undefined;
  const stated = version['deprecationWarning'];
  if (typeof stated === 'string') return stated;
  const [later] = all
    .filter(({ served, deprecated }) => served === true && deprecated !== true)
    .map((each) => textAt(each, 'name'))
    .filter((name) => byPriority(name, type.version) < 0)
    .toSorted(byPriority);
  const { group, kind } = type;
  const instead = later === undefined ? '' : `; use ${group}/${later} ${kind}`;
  return `${group}/${type.version} ${kind} is deprecated${instead}`;
}

function scaleIn(scale: Json | undefined): Scale | undefined {
  if (!isJsonObject(scale)) return undefined;
  const selector = scale['labelSelectorPath'];
  return {
    specReplicas: textAt(scale, 'specReplicasPath'),
    statusReplicas: textAt(scale, 'statusReplicasPath'),
    labelSelector: typeof selector === 'string' && selector !== '' ? selector : undefined,
  };
}

function columnIn(column: JsonObject): Column {
  return {
    name: textAt(column, 'name'),
    type: textAt(column, 'type'),
    format: textAt(column, 'format'),
    description: textAt(column, 'description'),
    priority: typeof column['priority'] === 'number' ? column['priority'] : 0,
    jsonPath: textAt(column, 'jsonPath'),
  };
}

export function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}

export function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

export function objectsAt(object: JsonObject, key: string): readonly JsonObject[] {
  const value = object[key];
  return isList(value) ? value.filter(isJsonObject) : [];
}

/** Only definitions whose schema is structural are ever kept. */
export function asSchema(value: JsonObject): Schema {
  return value as Schema;
}
