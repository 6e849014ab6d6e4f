import type { Deployment, DeploymentStatus, ReplicaSet } from '../shapes/workload.ts';
import { rolloutConditions } from './rollout-conditions.ts';
import { availableOf, replicasOf, type Sets } from './rollout-sets.ts';

export type Counts = Required<
  Pick<
    DeploymentStatus,
    | 'replicas'
    | 'updatedReplicas'
    | 'readyReplicas'
    | 'availableReplicas'
    | 'unavailableReplicas'
    | 'terminatingReplicas'
  >
>;

export function rolloutStatus(deployment: Deployment, sets: Sets, now: Date): DeploymentStatus {
  const counts = countsOf(sets);
  return {
    ...counts,
    observedGeneration: deployment.metadata.generation ?? 0,
    conditions: rolloutConditions({ deployment, sets, counts, now }),
  };
}

function countsOf({ current, old }: Sets): Counts {
  const all = [...old, ...(current === undefined ? [] : [current])];
  const total = (of: (set: ReplicaSet) => number | undefined) =>
    all.reduce((sum, set) => sum + (of(set) ?? 0), 0);
  const available = availableOf(all);
  return {
    replicas: total(({ status }) => status?.replicas),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: total(({ status }) => status?.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, replicasOf(all) - available),
    terminatingReplicas: total(({ status }) => status?.terminatingReplicas),
  };
}
