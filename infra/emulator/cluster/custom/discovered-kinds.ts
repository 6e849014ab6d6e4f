import type { JsonObject } from '#shared/domain/json.ts';
import type { ServedKind } from '../served-kinds.ts';
import { conditionOf } from './definition/conditions.ts';
import { textsAt } from './definition/names.ts';
import { type CustomVersion, objectAt, textAt, versionsOf } from './definition.ts';
import { byPriority } from './version-priority.ts';

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** What a definition serves, once its names are accepted; `undefined` before. */
export function servedKind(definition: JsonObject): ServedKind | undefined {
  const spec = objectAt(definition, 'spec');
  const names = objectAt(objectAt(definition, 'status'), 'acceptedNames');
  const [first, ...others] = servedVersions(definition).map(({ type }) => type.version);
  if (first === undefined || conditionOf(definition, 'Established')?.['status'] !== 'True')
    return undefined;
  return {
    group: textAt(spec, 'group'),
    resource: textAt(names, 'plural'),
    kind: textAt(names, 'kind'),
    namespaced: spec['scope'] === 'Namespaced',
    versions: [first, ...others],
    isCustom: true,
  };
}

/** `v2` before `v1` before `v2beta1` before `v1alpha1`. */
export function servedVersions(definition: JsonObject): readonly CustomVersion[] {
  return versionsOf(definition)
    .filter(({ served }) => served)
    .sort((one, other) => byPriority(one.type.version, other.type.version));
}

export function storageVersion(definition: JsonObject): CustomVersion | undefined {
  return versionsOf(definition).find(({ storage }) => storage);
}

/** The aggregated discovery's entry of one version (`APIResourceDiscovery`). */
export function discoveredResource(definition: JsonObject, version: CustomVersion): JsonObject {
  const { type, hasStatus, scale } = version;
  const names = objectAt(objectAt(definition, 'status'), 'acceptedNames');
  const own = { group: type.group, version: type.version, kind: type.kind };
  const subresources = [
    ...(hasStatus ? [subresource('status', own)] : []),
    ...(scale === undefined
      ? []
      : [subresource('scale', { group: 'autoscaling', version: 'v1', kind: 'Scale' })]),
  ];
  return {
    resource: textAt(names, 'plural'),
    responseKind: own,
    scope: objectAt(definition, 'spec')['scope'] === 'Namespaced' ? 'Namespaced' : 'Cluster',
    singularResource: textAt(names, 'singular'),
    verbs,
    ...listed('shortNames', textsAt(names, 'shortNames')),
    ...listed('categories', textsAt(names, 'categories')),
    ...listed('subresources', subresources),
  };
}

function subresource(name: string, responseKind: JsonObject): JsonObject {
  return { subresource: name, responseKind, verbs: ['get', 'patch', 'update'] };
}

function listed(key: string, items: readonly (string | JsonObject)[]): JsonObject {
  return items.length === 0 ? {} : { [key]: items };
}
