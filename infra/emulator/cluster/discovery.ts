import type { JsonObject } from '#shared/domain/json.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import type { Collection } from './collection.ts';
import { pageNotFound, type Refusal, unknownResource } from './refusal.ts';
import type { ServedKind } from './served-kinds.ts';

type Asked = { readonly group?: string; readonly version?: string };

/** `/api`, `/apis`, a group, or a version of one. */
export function discovered(
  collections: Iterable<Collection>,
  { group, version }: Asked,
): JsonObject | Refusal {
  const kinds = [...collections].map(({ kind }) => kind);
  if (group === undefined) return groupList(kinds);
  const inGroup = kinds.filter((kind) => kind.group === group);
  if (version !== undefined) return resourceList(inGroup, { group, version });
  if (group === '') return { kind: 'APIVersions', versions: ['v1'] };
  return inGroup.length === 0 ? pageNotFound : { apiVersion: 'v1', ...groupOf(inGroup, group) };
}

function groupList(kinds: readonly ServedKind[]): JsonObject {
  const names = [...new Set(kinds.map(({ group }) => group))].filter((name) => name !== '');
  const groups = names.map((name) =>
    groupOf(
      kinds.filter(({ group }) => group === name),
      name,
    ),
  );
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

function groupOf(kinds: readonly ServedKind[], name: string): JsonObject {
  const versions = [...new Set(kinds.flatMap((kind) => kind.versions))].map((version) => ({
    groupVersion: `${name}/${version}`,
    version,
  }));
  return { kind: 'APIGroup', name, versions, preferredVersion: versions[0] ?? {} };
}

function resourceList(
  inGroup: readonly ServedKind[],
  { group, version }: { readonly group: string; readonly version: string },
): JsonObject | Refusal {
  const kinds = inGroup.filter((kind) => kind.versions.includes(version));
  if (kinds.length === 0) return inGroup.length === 0 ? pageNotFound : unknownResource;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersion({ group, version }),
    resources: kinds.map(({ resource, kind, namespaced }) => ({
      name: resource,
      singularName: kind.toLowerCase(),
      namespaced,
      kind,
      verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    })),
  };
}
