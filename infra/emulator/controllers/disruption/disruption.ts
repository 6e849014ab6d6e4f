import { done, later } from '#shared/domain/outcome.ts';
import { matchesLabels } from '#shared/domain/selector.ts';
import { outcomeOf } from '../frame/api.ts';
import { type Controller, targetOf, type World, wake } from '../frame/controller.ts';
import { mergePatchOf } from '../merge-patch.ts';
import { budgets, deployments, pods, replicaSets, statefulSets } from '../shapes/kinds.ts';
import { controllerOf, isLeaving, placeOf, type Thing } from '../shapes/meta.ts';
import type { Pod } from '../shapes/pod.ts';
import type { Budget } from '../shapes/surroundings.ts';
import { budgetStatus, disruptedPods, type Expected, needsScale } from './plan-budget.ts';

/** Says of each budget how many of its pods may go; evictions ask that. */
export const disruptionController: Controller = {
  name: 'disruption',
  settleMs: 10,
  wakes: [
    wake(budgets, (budget) => [placeOf(budget)]),
    wake(pods, budgetsOf),
    wake(deployments, all),
    wake(statefulSets, all),
    wake(replicaSets, (set, world) => (controllerOf(set) === undefined ? all(set, world) : [])),
  ],
  async reconcile(place, world) {
    const budget = world.shelf(budgets).find(place);
    if (budget === undefined || isLeaving(budget)) return done;
    const covered = coveredBy(budget, world);
    const now = world.now();
    const { kept: disrupted, nextMs } = disruptedPods(budget, covered, now);
    const expected = expectedOf(budget, covered, world);
    const status = budgetStatus(budget, { pods: covered, expected, disrupted, now });
    const gone = Object.keys(budget.status?.disruptedPods ?? {}).filter((name) => !disrupted[name]);
    const cleared = Object.fromEntries(gone.map((name) => [name, undefined]));
    const next = { ...status, disruptedPods: { ...disrupted, ...cleared } };
    const patch = mergePatchOf(budget.status, next);
    const { resourceVersion } = budget.metadata;
    if (patch !== undefined) {
      const target = targetOf(budgets, budget, 'status');
      const written = await world.api.patch(target, { status: patch }, resourceVersion);
      if (written.kind !== 'written') return outcomeOf(written);
    }
    return nextMs === undefined ? done : later(nextMs / 1_000);
  },
};

/** Of the namespace: a budget's whole is what the owners of its pods state. */
function all({ metadata }: Thing, world: World): readonly string[] {
  return [...world.shelf(budgets).list(metadata.namespace ?? '')].filter(needsScale).map(placeOf);
}

function budgetsOf(pod: Pod, world: World): readonly string[] {
  return [...world.shelf(budgets).list(pod.metadata.namespace ?? '')]
    .filter((budget) => covers(budget, pod))
    .map(placeOf);
}

/** Without a selector it covers nothing, with an empty one everything. */
function covers({ spec }: Budget, { metadata }: Pod): boolean {
  return spec.selector !== undefined && matchesLabels(spec.selector, metadata.labels ?? {});
}

function coveredBy(budget: Budget, world: World): readonly Pod[] {
  const inside = world.shelf(pods).list(budget.metadata.namespace ?? '');
  return [...inside].filter((pod) => covers(budget, pod));
}

function expectedOf(budget: Budget, covered: readonly Pod[], world: World): Expected {
  if (!needsScale(budget)) return { kind: 'count', pods: covered.length };
  const scales = new Map<string, number>();
  for (const pod of covered) {
    const owner = controllerOf(pod);
    if (owner === undefined) {
      return { kind: 'unknown', why: `found no controller ref for pod "${pod.metadata.name}"` };
    }
    const known = scaleOf(pod, world);
    if (known !== undefined) scales.set(known.uid, known.replicas);
  }
  return { kind: 'count', pods: [...scales.values()].reduce((sum, each) => sum + each, 0) };
}

type Scale = { readonly uid: string; readonly replicas: number };

function scaleOf(pod: Pod, world: World): Scale | undefined {
  const owner = controllerOf(pod);
  const at = (name: string) => `${pod.metadata.namespace ?? ''}/${name}`;
  const stateful = world.shelf(statefulSets).find(at(owner?.name ?? ''));
  if (owner?.kind === 'StatefulSet' && stateful !== undefined) return scaleIn(stateful);
  const set = world.shelf(replicaSets).find(at(owner?.name ?? ''));
  if (owner?.kind !== 'ReplicaSet' || set === undefined) return undefined;
  const above = controllerOf(set);
  const deployment = world.shelf(deployments).find(at(above?.name ?? ''));
  return above?.kind === 'Deployment' && deployment !== undefined
    ? scaleIn(deployment)
    : scaleIn(set);
}

function scaleIn(object: Thing & { readonly spec: { readonly replicas?: number } }): Scale {
  return { uid: object.metadata.uid, replicas: object.spec.replicas ?? 1 };
}
