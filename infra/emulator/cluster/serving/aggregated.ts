import type { JsonObject } from '#shared/domain/json.ts';
import type { Aggregation } from '../aggregation/open-aggregation.ts';
import { groupDiscoveries } from '../discovery/aggregated.ts';
import { discovered } from '../discovery/discovery.ts';
import { isRefusal } from '../refusal.ts';
import type { ServedKind } from '../served-kinds.ts';
import type { Store } from '../store/store.ts';
import { discoveryPage } from './documents.ts';
import type { Beside } from './handling.ts';
import type { Asking } from './request.ts';
import type { Route } from './route.ts';

/** What other servers have: their requests are passed on, and their groups stand among the own ones. */
export function otherServers(aggregation: Aggregation, store: Store): Beside {
  return async (asking, { request, response, user }) => {
    const { route } = asking;
    if (route.kind === 'plain' || !route.group) {
      return isOfGroups(route) ? groupsWith(aggregation, store, asking) : undefined;
    }
    const { group, version } = route;
    if (version === undefined) return groupWith(aggregation, store, { group });
    if (!aggregation.serves(group, version)) return undefined;
    await aggregation.proxy({ request, response }, { group, version, user });
    return 'answered';
  };
}

/** `/apis`, and not `/api`. */
function isOfGroups(route: Route): boolean {
  return route.kind === 'discovery' && route.group === undefined;
}

function groupWith(aggregation: Aggregation, store: Store, at: { readonly group: string }) {
  const isRemote = aggregation.versions().some(({ group }) => group === at.group);
  const body = isRemote ? discovered(kindsOf(aggregation, store), at, '') : undefined;
  return body === undefined || isRefusal(body) ? undefined : { code: 200, body };
}

async function groupsWith(aggregation: Aggregation, store: Store, { accepted, headers }: Asking) {
  if (aggregation.versions().length === 0) return undefined;
  const kinds = kindsOf(aggregation, store);
  if (accepted?.as === 'group-discovery') {
    const groups = groupsOf(kinds, await aggregation.discovery());
    return discoveryPage(groups, headers['if-none-match']);
  }
  const body = discovered(kinds, {}, '');
  return isRefusal(body) ? undefined : { code: 200, body };
}

function kindsOf(aggregation: Aggregation, store: Store): readonly ServedKind[] {
  const own = [...store.collections.values()].map(({ kind }) => kind);
  return [...own, ...remoteKinds(aggregation)];
}

/** As far as the list of groups needs to know them. */
function remoteKinds(aggregation: Aggregation): readonly ServedKind[] {
  return aggregation.versions().map(({ group, version }) => ({
    ...{ group, versions: [version], resource: '', kind: '', namespaced: false, isCustom: true },
  }));
}

type Remote = Awaited<ReturnType<Aggregation['discovery']>>;

function groupsOf(kinds: readonly ServedKind[], remote: Remote): JsonObject {
  const own = groupDiscoveries(
    kinds.filter(({ resource }) => resource !== ''),
    'groups',
  );
  const names = [...new Set(remote.map(({ group }) => group))];
  const others: readonly JsonObject[] = names.map((name) => ({
    metadata: { name },
    versions: remote.filter(({ group }) => group === name).map(({ version }) => version),
  }));
  const items = [...(own['items'] as readonly JsonObject[]), ...others];
  return { ...own, items };
}
