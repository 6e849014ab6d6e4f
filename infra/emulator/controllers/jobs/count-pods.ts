import { finishOf, type Job, type Uncounted } from '../shapes/batch.ts';
import { isLeaving } from '../shapes/meta.ts';
import { isActive, isOver, isReady, type Pod } from '../shapes/pod.ts';
import { type FailureVerdict, judgeFailure } from './failure-policy.ts';
import { indexesText, indexOf, parseIndexes } from './indexes.ts';

export const tracking = 'batch.kubernetes.io/job-tracking';

/** What the job's pods amount to. A pod that has ended is kept by a finalizer until it stands in the status. */
export type Count = {
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly uncounted: Required<Uncounted>;
  readonly completedIndexes: string | undefined;
  /** Stand in the status that was written last: their finalizer may go. */
  readonly countable: readonly Pod[];
  /** Of the pods that have failed and stand in no status yet. */
  readonly verdicts: readonly FailureVerdict[];
};

export function countPods(job: Job, pods: readonly Pod[]): Count {
  const { status = {} } = job;
  const known = {
    succeeded: status.uncountedTerminatedPods?.succeeded ?? [],
    failed: status.uncountedTerminatedPods?.failed ?? [],
  };
  const held = new Map(pods.filter(isHeld).map((pod) => [pod.metadata.uid, pod]));
  const fresh = [...held.values()].filter((pod) => {
    return isOver(pod) && ![...known.succeeded, ...known.failed].includes(pod.metadata.uid);
  });
  const failures = fresh
    .filter((pod) => pod.status?.phase === 'Failed')
    .map((pod) => ({ pod, verdict: judgeFailure(job, pod) }));
  const isKept = (uid: string) => held.has(uid);
  const settled = (uids: readonly string[]) => uids.filter((uid) => !isKept(uid)).length;
  const indexes = completedIndexes(job, pods);
  return {
    active: pods.filter(isActive),
    ready: pods.filter((pod) => isActive(pod) && isReady(pod)).length,
    terminating: pods.filter((pod) => isLeaving(pod) && !isOver(pod)).length,
    succeeded: indexes?.size ?? (status.succeeded ?? 0) + settled(known.succeeded),
    failed: (status.failed ?? 0) + settled(known.failed),
    uncounted: {
      succeeded: [...known.succeeded.filter(isKept), ...uidsOf(fresh.filter(hasSucceeded))],
      failed: [
        ...known.failed.filter(isKept),
        ...uidsOf(failures.filter(isCounted).map(({ pod }) => pod)),
      ],
    },
    completedIndexes: indexes && indexesText(indexes),
    countable: [...held.values()].filter(isOver),
    verdicts: failures.map(({ verdict }) => verdict),
  };
}

function isCounted({ verdict }: { readonly verdict: FailureVerdict }): boolean {
  return verdict.kind !== 'ignore';
}

function isHeld({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(tracking) ?? false;
}

function hasSucceeded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded';
}

function uidsOf(pods: readonly Pod[]): readonly string[] {
  return pods.map(({ metadata }) => metadata.uid);
}

function completedIndexes({ spec, status }: Job, pods: readonly Pod[]) {
  if (spec.completionMode !== 'Indexed') return undefined;
  const done = pods.filter((pod) => hasSucceeded(pod) && isHeld(pod)).map(indexOf);
  return new Set([...parseIndexes(status?.completedIndexes), ...done]);
}

/** With those that are still held back. */
export function totals({ succeeded, failed, uncounted, completedIndexes }: Count) {
  const isIndexed = completedIndexes !== undefined;
  return {
    succeeded: succeeded + (isIndexed ? 0 : uncounted.succeeded.length),
    failed: failed + uncounted.failed.length,
  };
}

export function isFinished(job: Job): boolean {
  return finishOf(job) !== undefined;
}
