import { resolved } from '../bounds.ts';
import { timeText, withCondition } from '../conditions.ts';
import type { Condition, Labels } from '../shapes/meta.ts';
import { isActive, isReady, type Pod } from '../shapes/pod.ts';
import type { Budget, BudgetStatus } from '../shapes/surroundings.ts';

export type Expected =
  | { readonly kind: 'count'; readonly pods: number }
  /** It is about a part, of a whole that nobody states. */
  | { readonly kind: 'unknown'; readonly why: string };

/** As long as an eviction is given until the pod is seen to go. */
const evictionTimeoutMs = 120_000;

export function disruptedPods(
  { status }: Budget,
  pods: readonly Pod[],
  now: Date,
): { readonly kept: Labels; readonly nextMs: number | undefined } {
  const alive = new Map(pods.filter(isActive).map((pod) => [pod.metadata.name, pod]));
  const kept = Object.entries(status?.disruptedPods ?? {}).filter(([name, at]) => {
    const pod = alive.get(name);
    if (pod === undefined || isNewer(pod, at)) return false;
    return Date.parse(at) + evictionTimeoutMs > now.getTime();
  });
  const ends = kept.map(([, at]) => Date.parse(at) + evictionTimeoutMs - now.getTime());
  return {
    kept: Object.fromEntries(kept),
    nextMs: ends.length === 0 ? undefined : Math.min(...ends),
  };
}

/** Another pod of the same name; the one that was evicted is gone. */
function isNewer({ metadata }: Pod, at: string): boolean {
  return Date.parse(metadata.creationTimestamp) >= Date.parse(at);
}

type Facts = {
  readonly pods: readonly Pod[];
  readonly expected: Expected;
  readonly disrupted: Labels;
  readonly now: Date;
};

export function budgetStatus(budget: Budget, facts: Facts): BudgetStatus {
  const { expected, pods, disrupted, now } = facts;
  const observedGeneration = budget.metadata.generation ?? 0;
  const known = budget.status?.conditions;
  if (expected.kind === 'unknown') {
    const seen = budget.status?.observedGeneration ?? 0;
    const failed = condition('SyncFailed', expected.why, seen);
    return {
      ...(budget.status ?? { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
      disruptionsAllowed: 0,
      conditions: withCondition(known, failed, timeText(now)),
    };
  }
  const healthy = pods.filter(
    (pod) => isActive(pod) && isReady(pod) && disrupted[pod.metadata.name] === undefined,
  ).length;
  const desired = desiredHealthy(budget, expected.pods);
  const allowed = expected.pods <= 0 ? 0 : Math.max(0, healthy - desired);
  const reason = allowed > 0 ? 'SufficientPods' : 'InsufficientPods';
  const next = condition(reason, '', observedGeneration);
  return {
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected.pods,
    disruptionsAllowed: allowed,
    disruptedPods: disrupted,
    observedGeneration,
    conditions: withCondition(known, next, timeText(now)),
  };
}

function condition(reason: string, message: string, observedGeneration: number): Condition {
  const status = reason === 'SufficientPods' ? 'True' : 'False';
  return { type: 'DisruptionAllowed', status, reason, message, observedGeneration };
}

/** Both kinds of percentage are rounded up. */
function desiredHealthy({ spec }: Budget, expected: number): number {
  if (spec.maxUnavailable !== undefined) {
    return Math.max(0, expected - resolved(spec.maxUnavailable, expected, Math.ceil));
  }
  return resolved(spec.minAvailable ?? 1, expected, Math.ceil);
}

/** Whether the budget is about a whole that only the pods' controllers know. */
export function needsScale({ spec }: Budget): boolean {
  return spec.maxUnavailable !== undefined || typeof spec.minAvailable === 'string';
}
