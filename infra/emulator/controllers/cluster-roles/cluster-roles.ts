import { sameJson } from '#shared/domain/json.ts';
import { done } from '#shared/domain/outcome.ts';
import { matchesLabels } from '#shared/domain/selector.ts';
import { outcomeOf } from '../frame/api.ts';
import { type Controller, targetOf, wake } from '../frame/controller.ts';
import { clusterRoles } from '../shapes/kinds.ts';
import { placeOf } from '../shapes/meta.ts';
import type { ClusterRole } from '../shapes/surroundings.ts';

/** Puts together the roles that are made of others. */
export const clusterRoleController: Controller = {
  name: 'cluster-roles',
  settleMs: 5,
  wakes: [
    wake(clusterRoles, (_, world) => {
      return [...world.shelf(clusterRoles).list()].filter(isAggregate).map(placeOf);
    }),
  ],
  async reconcile(place, world) {
    const role = world.shelf(clusterRoles).find(place);
    if (role === undefined || !isAggregate(role)) return done;
    const rules = aggregated(role, [...world.shelf(clusterRoles).list()]);
    if (isSameSet(rules, role.rules ?? [])) return done;
    const target = targetOf(clusterRoles, role);
    return outcomeOf(await world.api.patch(target, { rules }, role.metadata.resourceVersion));
  },
};

function isAggregate({ aggregationRule }: ClusterRole): boolean {
  return aggregationRule !== undefined;
}

type Rules = NonNullable<ClusterRole['rules']>;

/** In the order of the roles' names, each rule once. */
export function aggregated(role: ClusterRole, roles: readonly ClusterRole[]): Rules {
  const selectors = role.aggregationRule?.clusterRoleSelectors ?? [];
  const byName = roles.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const chosen = selectors.flatMap((selector) =>
    byName.filter(
      ({ metadata }) =>
        metadata.uid !== role.metadata.uid && matchesLabels(selector, metadata.labels ?? {}),
    ),
  );
  const all = chosen.flatMap(({ rules }) => rules ?? []);
  return all.filter((rule, at) => all.findIndex((each) => sameJson(each, rule)) === at);
}

/** A server that aggregates by itself may order them otherwise: that is no reason to write. */
function isSameSet(a: Rules, b: Rules): boolean {
  const text = (rules: Rules) => rules.map((rule) => JSON.stringify(sorted(rule))).toSorted();
  return sameJson(text(a), text(b));
}

function sorted(rule: Rules[number]): unknown {
  return Object.entries(rule).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
