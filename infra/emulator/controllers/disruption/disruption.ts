import type { JsonObject } from '#shared/domain/json.ts';
import { done, later } from '#shared/domain/outcome.ts';
import { matchesLabels } from '#shared/domain/selector.ts';
import { goSelector } from '../../go-selector.ts';
import { outcomeOf } from '../frame/api.ts';
import { type Controller, targetOf, type World, wake } from '../frame/controller.ts';
import { mergePatchOf } from '../merge-patch.ts';
import {
  budgets,
  deployments,
  pods,
  replicaSets,
  replicationControllers,
  statefulSets,
} from '../shapes/kinds.ts';
import { controllerOf, isLeaving, placeOf, type Thing } from '../shapes/meta.ts';
import type { Pod } from '../shapes/pod.ts';
import type { Budget } from '../shapes/surroundings.ts';
import { expectedOf } from './expected-pods.ts';
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
    wake(replicationControllers, all),
    wake(replicaSets, (set, world) => (controllerOf(set) === undefined ? all(set, world) : [])),
  ],
  async reconcile(place, world) {
    const budget = world.shelf(budgets).find(place);
    if (budget === undefined || isLeaving(budget)) return done;
    const covered = coveredBy(budget, world);
    const now = world.now();
    const { kept: disrupted, nextMs } = disruptedPods(budget, covered, now);
    const expected = await expectedOf(budget, covered, world);
    tell({ budget, covered, expected }, world);
    const status = budgetStatus(budget, { pods: covered, expected, disrupted, now });
    const gone = Object.keys(budget.status?.disruptedPods ?? {}).filter((name) => !disrupted[name]);
    const cleared = Object.fromEntries(gone.map((name) => [name, undefined]));
    const next = { ...status, disruptedPods: { ...disrupted, ...cleared } };
    const patch = mergePatchOf(budget.status, next);
    if (patch !== undefined) {
      const target = targetOf(budgets, budget, 'status');
      const written = await world.api.update(target, budget, { status: patch });
      if (written.kind !== 'written') return outcomeOf(written);
    }
    return nextMs === undefined ? done : later(nextMs / 1_000);
  },
};

type Seen = {
  readonly budget: Budget;
  readonly covered: readonly Pod[];
  readonly expected: Expected;
};

function tell({ budget, covered, expected }: Seen, world: World): void {
  const by = 'controllermanager';
  if (covered.length === 0) {
    const note = 'No matching pods found';
    world.report(budget, budgets, { type: 'Normal', reason: 'NoPods', note, by });
  }
  if (needsScale(budget) && covered.some((pod) => controllerOf(pod) === undefined)) {
    // A selector is JSON.
    const selector = goSelector((budget.spec.selector ?? {}) as JsonObject);
    const note = `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
    world.report(budget, budgets, { type: 'Warning', reason: 'UnmanagedPods', note, by });
  }
  if (expected.kind === 'unknown') {
    const note = `Failed to calculate the number of expected pods: ${expected.why}`;
    const reason = 'CalculateExpectedPodCountFailed';
    world.report(budget, budgets, { type: 'Warning', reason, note, by });
  }
}

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
