import { timeText, withoutCondition } from '../conditions.ts';
import { type Condition, isLeaving } from '../shapes/meta.ts';
import type { Deployment, DeploymentStatus } from '../shapes/workload.ts';
import { leewayOf, type Sets, wanted } from './rollout-sets.ts';
import type { Counts } from './rollout-status.ts';

export type RolloutFacts = {
  readonly deployment: Deployment;
  readonly sets: Sets;
  readonly counts: Counts;
  readonly now: Date;
};

/** The one that was news last stands last. */
export function rolloutConditions(facts: RolloutFacts): readonly Condition[] {
  const { deployment, now } = facts;
  const at = timeText(now);
  const known = deployment.status?.conditions ?? [];
  if (isLeaving(deployment)) return told(known, availability(facts), at);
  const begun = beginning(facts, known);
  const available = told(begun, availability(facts), at);
  if (deployment.spec.paused === true) return available;
  return withFailure(facts, withProgress(facts, available));
}

/** The same status for the same reason is no news, whatever the words. */
export function told(
  conditions: readonly Condition[],
  next: Condition,
  at: string,
): readonly Condition[] {
  const known = conditions.find(({ type }) => type === next.type);
  const isNews = known?.status !== next.status || known.reason !== next.reason;
  return isNews ? toldAnew(conditions, next, at) : conditions;
}

function toldAnew(
  conditions: readonly Condition[],
  next: Condition,
  at: string,
): readonly Condition[] {
  const known = conditions.find(({ type }) => type === next.type);
  const since = known?.status === next.status ? known.lastTransitionTime : undefined;
  const dated = { lastUpdateTime: at, ...next, lastTransitionTime: since ?? at };
  return [...withoutCondition(conditions, next.type), dated];
}

function availability({ deployment, counts }: RolloutFacts): Condition {
  const type = 'Available';
  if (counts.availableReplicas >= wanted(deployment) - leewayOf(deployment).unavailable) {
    const message = 'Deployment has minimum availability.';
    return { type, status: 'True', reason: 'MinimumReplicasAvailable', message };
  }
  const message = 'Deployment does not have minimum availability.';
  return { type, status: 'False', reason: 'MinimumReplicasUnavailable', message };
}

export function progress(status: Condition['status'], reason: string, message: string): Condition {
  return { type: 'Progressing', status, reason, message };
}

export function progressIn(conditions: readonly Condition[] | undefined): Condition | undefined {
  return conditions?.find(({ type }) => type === 'Progressing');
}

/** Go's largest: no deadline at all. */
const noDeadline = 2_147_483_647;

export function hasDeadline({ spec }: Deployment): boolean {
  return spec.progressDeadlineSeconds !== noDeadline;
}

/** Of what is paused, resumed or found the time begins anew; what is stuck already stays so. */
function beginning({ deployment, sets, now }: RolloutFacts, conditions: readonly Condition[]) {
  const known = progressIn(conditions);
  if (!hasDeadline(deployment) || known?.reason === 'ProgressDeadlineExceeded') return conditions;
  const { paused = false } = deployment.spec;
  const at = timeText(now);
  if (paused) {
    return told(conditions, progress('Unknown', 'DeploymentPaused', 'Deployment is paused'), at);
  }
  if (known?.reason === 'DeploymentPaused') {
    return told(conditions, progress('Unknown', 'DeploymentResumed', 'Deployment is resumed'), at);
  }
  if (known !== undefined || sets.current === undefined) return conditions;
  const message = `Found new replica set "${sets.current.metadata.name}"`;
  return told(conditions, progress('True', 'FoundNewReplicaSet', message), at);
}

function withProgress(facts: RolloutFacts, conditions: readonly Condition[]): readonly Condition[] {
  const { deployment, sets, counts, now } = facts;
  if (!hasDeadline(deployment)) return withoutCondition(conditions, 'Progressing');
  const known = progressIn(conditions);
  const isThrough = known?.reason === 'NewReplicaSetAvailable';
  // More or fewer of the same are no rollout.
  if (isThrough && counts.replicas === counts.updatedReplicas) return conditions;
  const called =
    sets.current === undefined
      ? `Deployment "${deployment.metadata.name}"`
      : `ReplicaSet "${sets.current.metadata.name}"`;
  const at = timeText(now);
  if (isComplete(deployment, counts)) {
    const message = `${called} has successfully progressed.`;
    return told(conditions, progress('True', 'NewReplicaSetAvailable', message), at);
  }
  if (hasMoved(facts)) {
    const message = `${called} is progressing.`;
    return toldAnew(conditions, progress('True', 'ReplicaSetUpdated', message), at);
  }
  if (known === undefined || isThrough || secondsLeft(deployment, now, known) > 0) {
    return conditions;
  }
  const message = `${called} has timed out progressing.`;
  return told(conditions, progress('False', 'ProgressDeadlineExceeded', message), at);
}

export function isComplete(deployment: Deployment, counts: DeploymentStatus): boolean {
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = counts;
  const want = wanted(deployment);
  return [replicas, updatedReplicas, availableReplicas].every((count) => count === want);
}

function hasMoved({ deployment, counts }: RolloutFacts): boolean {
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
export function secondsLeft({ spec }: Deployment, now: Date, known: Condition): number {
  const since = Date.parse(known.lastUpdateTime ?? known.lastTransitionTime ?? '');
  const { progressDeadlineSeconds = 600 } = spec;
  return Number.isNaN(since) ? 0 : progressDeadlineSeconds - (now.getTime() - since) / 1_000;
}

/** Why a set has no pods is said of the deployment as well: of the present template's set first. */
function withFailure(
  { sets }: RolloutFacts,
  conditions: readonly Condition[],
): readonly Condition[] {
  const type = 'ReplicaFailure';
  const failure = [sets.current, ...sets.old]
    .flatMap((set) => set?.status?.conditions ?? [])
    .find((each) => each.type === type);
  if (failure === undefined) return withoutCondition(conditions, type);
  return told(conditions, failure, failure.lastTransitionTime ?? '');
}
