import { finishOf, type Job, type Uncounted } from '../shapes/batch.ts';
import { isActive, isReady, isTerminating, type Pod } from '../shapes/pod.ts';
import { type FailureVerdict, hasFailed, judgeFailure } from './failure-policy.ts';
import { type IndexFailures, indexFailures } from './index-failures.ts';
import { indexOf, parseIndexes } from './indexes.ts';

export const tracking = 'batch.kubernetes.io/job-tracking';

/** What the job's pods amount to. A pod that has ended is kept by a finalizer until it stands in the status. */
export type Count = {
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly uncounted: Required<Uncounted>;
  readonly completed: ReadonlySet<number> | undefined;
  /** Where each index may fail by itself. */
  readonly failures: IndexFailures | undefined;
  readonly held: readonly Pod[];
  /** Of those the ones that have ended, and that the next status counts. */
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
  const held = pods.filter(isHeld);
  const heldUids = new Set(uidsOf(held));
  const broken = held.filter((pod) => hasFailed(job, pod));
  const completed = completedIndexes(job, pods);
  const failures = indexFailures(job, { pods, broken, completed: completed ?? new Set() });
  const replaceable = new Set(failures?.replaceable.values());
  const ended = held.filter((pod) => hasSucceeded(pod) || hasFailed(job, pod));
  const countable = ended.filter((pod) => !replaceable.has(pod));
  const fresh = countable.filter((pod) => {
    return ![...known.succeeded, ...known.failed].includes(pod.metadata.uid);
  });
  const isKept = (uid: string) => heldUids.has(uid);
  const settled = (uids: readonly string[]) => uids.filter((uid) => !isKept(uid)).length;
  return {
    active: pods.filter(isActive),
    ready: pods.filter((pod) => isActive(pod) && isReady(pod)).length,
    terminating: pods.filter(isTerminating).length,
    succeeded: completed?.size ?? (status.succeeded ?? 0) + settled(known.succeeded),
    failed: (status.failed ?? 0) + settled(known.failed),
    uncounted: {
      succeeded: [...known.succeeded.filter(isKept), ...uidsOf(fresh.filter(hasSucceeded))],
      failed: [
        ...known.failed.filter(isKept),
        ...uidsOf(fresh.filter((pod) => !hasSucceeded(pod) && isCounted(job, pod))),
      ],
    },
    completed,
    failures,
    held,
    countable,
    verdicts: broken.map((pod) => judgeFailure(job, pod)),
  };
}

function isCounted(job: Job, pod: Pod): boolean {
  return judgeFailure(job, pod).kind !== 'ignore';
}

export function isHeld({ metadata }: Pod): boolean {
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

/** When a job ends nobody is waited for any more; when it fails, whoever is not through has failed as well. */
export function endingCount(job: Job, count: Count, how: 'succeeded' | 'failed'): Count {
  const { uncounted, countable, held } = count;
  const counted = held.filter(
    (pod) =>
      !countable.includes(pod) &&
      (how === 'failed' || hasFailed(job, pod)) &&
      isCounted(job, pod) &&
      !uncounted.failed.includes(pod.metadata.uid),
  );
  const failed = [...uncounted.failed, ...uidsOf(counted)];
  return { ...count, countable: held, uncounted: { ...uncounted, failed } };
}

/** With those that are still held back. */
export function totals({ succeeded, failed, uncounted, completed }: Count) {
  const isIndexed = completed !== undefined;
  return {
    succeeded: succeeded + (isIndexed ? 0 : uncounted.succeeded.length),
    failed: failed + uncounted.failed.length,
  };
}

export function isFinished(job: Job): boolean {
  return finishOf(job) !== undefined;
}
