import type { JsonObject } from '#shared/domain/json.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import { pageNotFound, type Refusal, unknownResource } from '../refusal.ts';
import { storageVersionHash } from '../schemas/discovery-published.ts';
import { allVerbs, type ServedKind, type ServedSubresource } from '../served-kinds.ts';

type Asked = { readonly group?: string; readonly version?: string };

/** `/api`, `/apis`, a group, or a version of one. */
export function discovered(
  kinds: readonly ServedKind[],
  { group, version }: Asked,
  address: string,
): JsonObject | Refusal {
  if (group === undefined) return groupList(kinds);
  const inGroup = kinds.filter((kind) => kind.group === group);
  if (version !== undefined) return resourceList(inGroup, { group, version });
  if (group === '') return coreVersions(address);
  return inGroup.length === 0
    ? pageNotFound
    : { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(inGroup, group) };
}

function coreVersions(address: string): JsonObject {
  const everywhere = { clientCIDR: '0.0.0.0/0', serverAddress: address };
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [everywhere] };
}

function groupList(kinds: readonly ServedKind[]): JsonObject {
  const groups = groupNames(kinds).map((name) =>
    groupOf(
      kinds.filter(({ group }) => group === name),
      name,
    ),
  );
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

export function groupNames(kinds: readonly ServedKind[]): readonly string[] {
  return [...new Set(kinds.map(({ group }) => group))].filter((name) => name !== '');
}

function groupOf(kinds: readonly ServedKind[], name: string): JsonObject {
  const versions = versionsOf(kinds).map((version) => ({
    groupVersion: `${name}/${version}`,
    version,
  }));
  return { name, versions, preferredVersion: versions[0] ?? {} };
}

export function versionsOf(kinds: readonly ServedKind[]): readonly string[] {
  return [...new Set(kinds.flatMap((kind) => kind.versions))].toSorted(byPriority);
}

/** `v2` before `v1` before `v2beta1` before `v1alpha1`. */
export function byPriority(one: string, other: string): number {
  const [a, b] = [rank(one), rank(other)];
  return b.stage - a.stage || b.major - a.major || b.minor - a.minor;
}

function rank(version: string) {
  const [, major = '0', stage = '', minor = '0'] = /^v(\d+)(alpha|beta)?(\d*)$/.exec(version) ?? [];
  return {
    stage: ['alpha', 'beta', ''].indexOf(stage),
    major: Number(major),
    minor: Number(minor),
  };
}

type Place = { readonly group: string; readonly version: string };

function resourceList(inGroup: readonly ServedKind[], place: Place): JsonObject | Refusal {
  const kinds = inGroup.filter((kind) => kind.versions.includes(place.version));
  if (kinds.length === 0) return inGroup.length === 0 ? pageNotFound : unknownResource;
  return {
    kind: 'APIResourceList',
    ...(place.group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersion(place),
    resources: kinds.flatMap((kind) => [
      resourceOf(kind, place.version),
      ...(kind.subresources ?? []).map((each) => subresourceOf(kind, each)),
    ]),
  };
}

function resourceOf(served: ServedKind, version: string): JsonObject {
  const { group, resource, kind, namespaced, names, verbs = allVerbs } = served;
  const { short = [], categories = [], singular = kind.toLowerCase() } = names ?? {};
  return {
    ...{ name: resource, singularName: singular, namespaced, kind, verbs },
    ...(short.length > 0 && { shortNames: short }),
    ...(categories.length > 0 && { categories }),
    // Of what is never stored there is none.
    ...(verbs.includes('create') &&
      verbs.includes('list') && {
        storageVersionHash: storageVersionHash({ group, version, kind }),
      }),
  };
}

function subresourceOf(
  { resource, namespaced }: ServedKind,
  { name, kind, group, version, verbs }: ServedSubresource,
): JsonObject {
  const named = { name: `${resource}/${name}`, singularName: '', namespaced };
  return { ...named, ...(group && { group }), ...(version && { version }), kind, verbs };
}
