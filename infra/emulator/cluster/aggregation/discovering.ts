import type { JsonObject } from '#shared/domain/json.ts';
import { objects, text, texts } from '../access/stated.ts';
import type { ApiService } from './api-service.ts';

/** One version of a group that another server has. */
export type RemoteVersion = {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly isAvailable: boolean;
};

/** For the list of groups: those that are not available are in it too. */
export function remoteVersions(all: readonly ApiService[]): readonly RemoteVersion[] {
  return all
    .filter(({ service }) => service !== undefined)
    .map(({ group, version, groupPriority, versionPriority, isAvailable }) => ({
      ...{ group, version, groupPriority, versionPriority, isAvailable },
    }))
    .toSorted((one, other) => other.groupPriority - one.groupPriority || byName(one, other));
}

function byName(one: RemoteVersion, other: RemoteVersion): number {
  if (one.group !== other.group) return one.group < other.group ? -1 : 1;
  return other.versionPriority - one.versionPriority;
}

/** Aggregated discovery of a server that knows only the plain one: an APIResourceList becomes a version of an APIGroupDiscovery. */
export function versionDiscovery(version: string, list: JsonObject | undefined): JsonObject {
  const resources = objects(list?.['resources']);
  const whole = resources.filter(({ name }) => !text(name).includes('/'));
  return {
    version,
    ...(list !== undefined && {
      resources: whole.map((resource) => resourceDiscovery(resource, resources)),
    }),
    freshness: list === undefined ? 'Stale' : 'Current',
  };
}

function resourceDiscovery(resource: JsonObject, all: readonly JsonObject[]): JsonObject {
  const name = text(resource['name']);
  const below = all.filter((each) => text(each['name']).startsWith(`${name}/`));
  return {
    resource: name,
    responseKind: kindOf(resource),
    scope: resource['namespaced'] === true ? 'Namespaced' : 'Cluster',
    singularResource: text(resource['singularName']),
    verbs: texts(resource['verbs']),
    ...listed('shortNames', resource),
    ...listed('categories', resource),
    ...(below.length > 0 && {
      subresources: below.map((each) => ({
        subresource: text(each['name']).slice(name.length + 1),
        responseKind: kindOf(each),
        verbs: texts(each['verbs']),
      })),
    }),
  };
}

function kindOf({ group, version, kind }: JsonObject): JsonObject {
  return { group: text(group), version: text(version), kind: text(kind) };
}

function listed(name: string, resource: JsonObject): JsonObject {
  const values = texts(resource[name]);
  return values.length === 0 ? {} : { [name]: values };
}
