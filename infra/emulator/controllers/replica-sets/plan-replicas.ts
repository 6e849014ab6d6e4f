import { timeText, withCondition, withoutCondition } from '../conditions.ts';
import { deletionOrder } from '../owning/deletion-order.ts';
import { availableAt, isActive, isReady, isTerminating, type Pod } from '../shapes/pod.ts';
import type { ReplicaSet, ReplicaSetStatus } from '../shapes/workload.ts';

export type ReplicaPlan = { readonly missing: number; readonly surplus: readonly Pod[] };

export function planReplicas({ spec }: ReplicaSet, owned: readonly Pod[]): ReplicaPlan {
  const active = owned.filter(isActive);
  const missing = (spec.replicas ?? 1) - active.length;
  if (missing >= 0) return { missing, surplus: [] };
  return { missing: 0, surplus: deletionOrder(active).slice(0, -missing) };
}

type Facts = { readonly owned: readonly Pod[]; readonly failure?: string; readonly now: Date };

export function replicaStatus(set: ReplicaSet, { owned, failure, now }: Facts): ReplicaSetStatus {
  const active = owned.filter(isActive);
  const { template, minReadySeconds = 0 } = set.spec;
  const stated = Object.entries(template.metadata?.labels ?? {});
  return {
    replicas: active.length,
    fullyLabeledReplicas: active.filter(({ metadata }) =>
      stated.every(([key, value]) => metadata.labels?.[key] === value),
    ).length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter(
      (pod) => (availableAt(pod, minReadySeconds) ?? Number.POSITIVE_INFINITY) <= now.getTime(),
    ).length,
    // Their controller counts none for the older kind.
    ...(set.kind === 'ReplicaSet' && { terminatingReplicas: owned.filter(isTerminating).length }),
    observedGeneration: set.metadata.generation ?? 0,
    conditions: failureCondition(set, failure, now),
  };
}

function failureCondition({ status }: ReplicaSet, failure: string | undefined, now: Date) {
  if (failure === undefined) return withoutCondition(status?.conditions, 'ReplicaFailure');
  const type = 'ReplicaFailure';
  // The first words stay.
  if (status?.conditions?.some((each) => each.type === type)) return status.conditions;
  const next = { type, status: 'True', reason: 'FailedCreate', message: failure } as const;
  return withCondition(status?.conditions, next, timeText(now));
}

/** Until the next of the ready ones counts as available; `undefined` where none is on its way. */
export function secondsUntilAvailable(
  pods: readonly Pod[],
  { minReadySeconds, now }: { readonly minReadySeconds: number; readonly now: Date },
): number | undefined {
  const waits = pods
    .filter(isActive)
    .map((pod) => (availableAt(pod, minReadySeconds) ?? 0) - now.getTime())
    .filter((ms) => ms > 0);
  return waits.length === 0 ? undefined : Math.min(...waits) / 1_000;
}
