import type { JsonObject } from '#shared/domain/json.ts';
import { allVerbs, type ServedKind } from '../served-kinds.ts';
import { groupNames, versionsOf } from './discovery.ts';

/** All groups with all that is in them, in one answer. */
export function groupDiscoveries(kinds: readonly ServedKind[], of: 'core' | 'groups'): JsonObject {
  const names = of === 'core' ? [''] : groupNames(kinds);
  return {
    ...{ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {} },
    items: names.map((name) =>
      groupDiscovery(
        kinds.filter(({ group }) => group === name),
        name,
      ),
    ),
  };
}

function groupDiscovery(kinds: readonly ServedKind[], name: string): JsonObject {
  const versions = versionsOf(kinds).map((version) => ({
    version,
    resources: kinds
      .filter((kind) => kind.versions.includes(version))
      .map((kind) => resourceOf(kind, version)),
    freshness: 'Current',
  }));
  return { metadata: name === '' ? {} : { name }, versions };
}

function resourceOf(served: ServedKind, version: string): JsonObject {
  const { group, resource, kind, namespaced, names, verbs = allVerbs, subresources = [] } = served;
  const { short = [], categories = [], singular = kind.toLowerCase() } = names ?? {};
  const own = served.isCustom ? { group, version } : { group: '', version: '' };
  const below = subresources.map((each) => ({
    subresource: each.name,
    responseKind: {
      group: each.group ?? own.group,
      version: each.version ?? own.version,
      kind: each.kind,
    },
    verbs: each.verbs,
  }));
  return {
    ...{ resource, responseKind: { ...own, kind } },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    ...{ singularResource: singular, verbs },
    ...(short.length > 0 && { shortNames: short }),
    ...(categories.length > 0 && { categories }),
    ...(below.length > 0 && { subresources: below }),
  };
}
