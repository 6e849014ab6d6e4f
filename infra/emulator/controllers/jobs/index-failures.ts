import type { Job } from '../shapes/batch.ts';
import { isActive, type Pod } from '../shapes/pod.ts';
import { judgeFailure } from './failure-policy.ts';
import { indexOf, parseIndexes } from './indexes.ts';

export const failureCountKey = 'batch.kubernetes.io/job-index-failure-count';
export const ignoredCountKey = 'batch.kubernetes.io/job-index-ignored-failure-count';

/** Of a job each index of which may fail so often by itself. */
export type IndexFailures = {
  readonly failed: ReadonlySet<number>;
  /** By index the pod that failed last: it is held until the next one carries on its count. */
  readonly replaceable: ReadonlyMap<number, Pod>;
};

type Facts = {
  readonly pods: readonly Pod[];
  /** Those of them that have failed and are held. */
  readonly broken: readonly Pod[];
  readonly completed: ReadonlySet<number>;
};

export function indexFailures(job: Job, facts: Facts): IndexFailures | undefined {
  const { completionMode, backoffLimitPerIndex: limit } = job.spec;
  if (completionMode !== 'Indexed' || limit === undefined) return undefined;
  const failed = new Set([
    ...parseIndexes(job.status?.failedIndexes),
    ...facts.broken.filter((pod) => isLast(job, pod, limit)).map(indexOf),
  ]);
  const settled = new Set([
    ...failed,
    ...facts.completed,
    ...facts.pods.filter(isActive).map(indexOf),
  ]);
  const replaceable = new Map<number, Pod>();
  for (const pod of facts.broken.filter((each) => !settled.has(indexOf(each)))) {
    const known = replaceable.get(indexOf(pod));
    if (known === undefined || triesOf(known) <= triesOf(pod)) replaceable.set(indexOf(pod), pod);
  }
  return { failed, replaceable };
}

/** The index does not get another one. */
function isLast(job: Job, pod: Pod, limit: number): boolean {
  const { kind } = judgeFailure(job, pod);
  if (kind === 'fail-index') return true;
  return kind !== 'ignore' && numberIn(pod, failureCountKey) >= limit;
}

/** What the pod that takes the place of a failed one carries on. */
export function countsAfter(job: Job, failed: Pod | undefined): Readonly<Record<string, string>> {
  if (failed === undefined) return { [failureCountKey]: '0' };
  const isIgnored = judgeFailure(job, failed).kind === 'ignore';
  const counted = numberIn(failed, failureCountKey) + (isIgnored ? 0 : 1);
  const ignored = numberIn(failed, ignoredCountKey) + (isIgnored ? 1 : 0);
  return {
    [failureCountKey]: String(counted),
    ...(ignored > 0 && { [ignoredCountKey]: String(ignored) }),
  };
}

/** How often the index had been tried before this pod, whether that counts or not. */
export function triesOf(pod: Pod): number {
  return numberIn(pod, failureCountKey) + numberIn(pod, ignoredCountKey);
}

function numberIn({ metadata }: Pod, key: string): number {
  return Number(metadata.annotations?.[key] ?? 0);
}
