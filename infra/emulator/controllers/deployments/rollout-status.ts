import { timeText, withCondition, withoutCondition } from '../conditions.ts';
import type { Condition } from '../shapes/meta.ts';
import type { Deployment, DeploymentStatus, ReplicaSet } from '../shapes/workload.ts';
import { availableOf, leewayOf, type Sets, wanted } from './rollout-sets.ts';

type Counts = Required<
  Pick<
    DeploymentStatus,
    'replicas' | 'updatedReplicas' | 'readyReplicas' | 'availableReplicas' | 'unavailableReplicas'
  >
>;

export function rolloutStatus(deployment: Deployment, sets: Sets, now: Date): DeploymentStatus {
  const counts = countsOf(deployment, sets);
  return {
    ...counts,
    observedGeneration: deployment.metadata.generation ?? 0,
    conditions: progressing(
      { deployment, counts, set: sets.current, now },
      available(deployment, counts, now),
    ),
  };
}

function countsOf(deployment: Deployment, { current, old }: Sets): Counts {
  const all = [...old, ...(current === undefined ? [] : [current])];
  const total = (of: (set: ReplicaSet) => number | undefined) =>
    all.reduce((sum, set) => sum + (of(set) ?? 0), 0);
  const replicas = total(({ status }) => status?.replicas);
  const available = availableOf(all);
  const short = wanted(deployment) > available ? Math.max(replicas, wanted(deployment)) : replicas;
  return {
    replicas,
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: total(({ status }) => status?.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, short - available),
  };
}

function available(deployment: Deployment, counts: Counts, now: Date): readonly Condition[] {
  const conditions = deployment.status?.conditions;
  const next = availability(deployment, counts);
  const known = conditions?.find(({ type }) => type === next.type);
  const at = timeText(now);
  const lastUpdateTime = known?.status === next.status ? (known.lastUpdateTime ?? at) : at;
  return withCondition(conditions, { ...next, lastUpdateTime }, at);
}

function availability(deployment: Deployment, { availableReplicas }: Counts): Condition {
  const type = 'Available';
  if (availableReplicas >= wanted(deployment) - leewayOf(deployment).unavailable) {
    const message = 'Deployment has minimum availability.';
    return { type, status: 'True', reason: 'MinimumReplicasAvailable', message };
  }
  const message = 'Deployment does not have minimum availability.';
  return { type, status: 'False', reason: 'MinimumReplicasUnavailable', message };
}

type Progress = {
  readonly deployment: Deployment;
  readonly counts: Counts;
  readonly set: ReplicaSet | undefined;
  readonly now: Date;
};

/** Go's largest: no deadline at all. */
const noDeadline = 2_147_483_647;

function progressing(progress: Progress, conditions: readonly Condition[]): readonly Condition[] {
  const { deployment, now } = progress;
  if (deployment.spec.progressDeadlineSeconds === noDeadline) {
    return withoutCondition(conditions, 'Progressing');
  }
  const known = conditions.find(({ type }) => type === 'Progressing');
  const next = nextProgress(progress, known);
  if (next === undefined || (known?.reason === next.reason && !next.isNews)) return conditions;
  const { isNews: _, ...said } = next;
  const type = 'Progressing';
  return withCondition(conditions, { type, lastUpdateTime: timeText(now), ...said }, timeText(now));
}

type Said = Pick<Condition, 'status' | 'reason' | 'message'> & { readonly isNews?: boolean };

function nextProgress(progress: Progress, known: Condition | undefined): Said | undefined {
  const { deployment, set, now } = progress;
  const called = set === undefined ? 'Deployment' : `ReplicaSet "${set.metadata.name}"`;
  if (deployment.spec.paused === true) {
    const message = 'Deployment is paused';
    return { status: 'Unknown', reason: 'DeploymentPaused', message };
  }
  if (isComplete(progress)) {
    const message = `${called} has successfully progressed.`;
    const isNews = known?.message !== message;
    return { status: 'True', reason: 'NewReplicaSetAvailable', message, isNews };
  }
  const isPaused = known?.reason === 'DeploymentPaused';
  if (known === undefined || isPaused || hasMoved(progress) || isOfAnother(known, progress)) {
    const message = `${called} is progressing.`;
    return { status: 'True', reason: 'ReplicaSetUpdated', message, isNews: true };
  }
  if (known.reason === 'NewReplicaSetAvailable' || secondsLeft(deployment, now, known) > 0) {
    return undefined;
  }
  const message = `${called} has timed out progressing.`;
  return { status: 'False', reason: 'ProgressDeadlineExceeded', message };
}

function isComplete({ deployment, counts, set }: Progress): boolean {
  const want = wanted(deployment);
  const { replicas, updatedReplicas, availableReplicas } = counts;
  return (
    set !== undefined && [replicas, updatedReplicas, availableReplicas].every((n) => n === want)
  );
}

/** A new template has begun another rollout. */
function isOfAnother({ message = '', reason }: Condition, { set }: Progress): boolean {
  const isStale = set !== undefined && !message.includes(`"${set.metadata.name}"`);
  return isStale && reason !== 'DeploymentPaused';
}

function hasMoved({ deployment, counts }: Progress): boolean {
  const { status = {} } = deployment;
  const updated = status.updatedReplicas ?? 0;
  const oldBefore = (status.replicas ?? 0) - updated;
  return (
    counts.updatedReplicas > updated ||
    counts.replicas - counts.updatedReplicas < oldBefore ||
    counts.readyReplicas > (status.readyReplicas ?? 0) ||
    counts.availableReplicas > (status.availableReplicas ?? 0)
  );
}

/** Until the rollout counts as stuck. */
export function secondsLeft({ spec }: Deployment, now: Date, known: Condition | undefined): number {
  const since = Date.parse(known?.lastUpdateTime ?? known?.lastTransitionTime ?? '');
  const { progressDeadlineSeconds = 600 } = spec;
  return Number.isNaN(since) ? 0 : progressDeadlineSeconds - (now.getTime() - since) / 1_000;
}
