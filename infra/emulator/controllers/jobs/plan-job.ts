import { timeText, withCondition } from '../conditions.ts';
import type { Job, JobStatus } from '../shapes/batch.ts';
import { type Condition, isLeaving } from '../shapes/meta.ts';
import type { Pod } from '../shapes/pod.ts';
import { type Count, endingCount, totals } from './count-pods.ts';
import { isAwaited } from './failure-policy.ts';
import { triesOf } from './index-failures.ts';
import { freeIndexes, indexesText, indexOf } from './indexes.ts';
import type { Failures } from './seen-failures.ts';
import { metSuccess } from './success-policy.ts';
import { surplusPods } from './surplus.ts';

export type JobPlan = {
  readonly status: JobStatus;
  /** How many pods to make. */
  readonly missing: number;
  /** Of which part of the work each of them is to be. */
  readonly indexes?: readonly number[];
  readonly remove: readonly Pod[];
  /** Stand in the status now, or are not to be counted: their finalizer may go. */
  readonly release: readonly Pod[];
  /** Until there is something to do that no change tells of. */
  readonly waitMs?: number;
};

type Facts = {
  readonly count: Count;
  readonly now: Date;
  /** After a failure the next pod waits so long, twice as long after each. */
  readonly backoffMs: number;
} & Failures;

const mostBackoffMs = 360_000;

/** How a job ends, or that it goes on. */
type Verdict =
  | { readonly kind: 'on' }
  | { readonly kind: 'succeeded'; readonly reason: string; readonly message: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string };

export function planJob(job: Job, facts: Facts): JobPlan {
  const verdict = verdictOf(job, facts);
  const { count } = facts;
  if (verdict.kind !== 'on') {
    return ending(job, { ...facts, count: endingCount(job, count, verdict.kind) }, verdict);
  }
  if (job.spec.suspend === true) return suspended(job, facts);
  return goingOn(job, facts);
}

function verdictOf(job: Job, { count, now }: Facts): Verdict {
  const known = job.status?.conditions ?? [];
  const failing = known.find(({ type, status }) => type === 'FailureTarget' && status === 'True');
  if (failing !== undefined) {
    return { kind: 'failed', reason: failing.reason ?? '', message: failing.message ?? '' };
  }
  const met = known.find(({ type }) => type === 'SuccessCriteriaMet');
  if (met !== undefined) {
    return { kind: 'succeeded', reason: met.reason ?? '', message: met.message ?? '' };
  }
  const broken = count.verdicts.find(({ kind }) => kind === 'fail-job');
  if (broken?.kind === 'fail-job') {
    return { kind: 'failed', reason: 'PodFailurePolicy', message: broken.why };
  }
  return limitsOf(job, count, now);
}

function limitsOf({ spec, status }: Job, count: Count, now: Date): Verdict {
  const { failed } = totals(count);
  const { backoffLimit = 6, activeDeadlineSeconds, suspend = false } = spec;
  if (failed > backoffLimit || restartsIn(count) >= Math.max(1, backoffLimit)) {
    const message = 'Job has reached the specified backoff limit';
    return { kind: 'failed', reason: 'BackoffLimitExceeded', message };
  }
  const ranMs = now.getTime() - Date.parse(status?.startTime ?? '');
  // Time does not run for a job that is suspended.
  if (activeDeadlineSeconds !== undefined && !suspend && ranMs >= activeDeadlineSeconds * 1_000) {
    const message = 'Job was active longer than specified deadline';
    return { kind: 'failed', reason: 'DeadlineExceeded', message };
  }
  return indexLimits(spec, count) ?? successOf(spec, count);
}

/** Where each index may fail by itself. */
function indexLimits(spec: Job['spec'], { failures, completed }: Count): Verdict | undefined {
  const { completions = 1, maxFailedIndexes = completions } = spec;
  const failed = failures?.failed.size ?? 0;
  if (failed > maxFailedIndexes) {
    const message = 'Job has exceeded the specified maximal number of failed indexes';
    return { kind: 'failed', reason: 'MaxFailedIndexesExceeded', message };
  }
  if (failed === 0 || failed + (completed?.size ?? 0) < completions) return undefined;
  return { kind: 'failed', reason: 'FailedIndexes', message: 'Job has failed indexes' };
}

function successOf(spec: Job['spec'], count: Count): Verdict {
  const met = metSuccess(spec, count.completed ?? new Set());
  if (met !== undefined) return { kind: 'succeeded', reason: 'SuccessPolicy', message: met };
  const { succeeded } = totals(count);
  // Without a number of completions the pods share a queue: when one has found it empty, it is.
  const isEnough =
    spec.completions === undefined
      ? succeeded > 0 && count.active.length === 0
      : succeeded >= spec.completions;
  const message = 'Reached expected number of succeeded pods';
  return isEnough ? { kind: 'succeeded', reason: 'CompletionsReached', message } : { kind: 'on' };
}

/** Containers that are restarted in their pod count like pods that failed. */
function restartsIn({ active }: Count): number {
  return active
    .filter(({ spec }) => spec.restartPolicy === 'OnFailure')
    .flatMap(({ status }) => [
      ...(status?.initContainerStatuses ?? []),
      ...(status?.containerStatuses ?? []),
    ])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
}

/** First that it ends is said, then its pods go, and only then it is over. */
function ending(job: Job, facts: Facts, verdict: Exclude<Verdict, { kind: 'on' }>): JobPlan {
  const { count, now } = facts;
  const at = timeText(now);
  const isQuiet = count.active.length + count.terminating === 0;
  const isCounted = count.uncounted.succeeded.length + count.uncounted.failed.length === 0;
  const said = saidOf(verdict);
  const isSaid = job.status?.conditions?.some(({ type }) => type === said.target) ?? false;
  const conditions = withCondition(
    job.status?.conditions,
    { type: said.target, ...said.condition, lastProbeTime: at },
    at,
  );
  const isOver = isSaid && isQuiet && isCounted;
  const status = {
    ...statusOf(facts),
    startTime: job.status?.startTime ?? at,
    conditions: isOver
      ? withCondition(conditions, { type: said.end, ...said.condition, lastProbeTime: at }, at)
      : conditions,
    ...(isOver && verdict.kind === 'succeeded' && { completionTime: at }),
  };
  return { status, missing: 0, remove: count.active, release: count.countable };
}

function saidOf(verdict: Exclude<Verdict, { kind: 'on' }>) {
  const { kind, reason, message } = verdict;
  const condition: Omit<Condition, 'type'> = { status: 'True', reason, message };
  return kind === 'failed'
    ? { target: 'FailureTarget', end: 'Failed', condition }
    : { target: 'SuccessCriteriaMet', end: 'Complete', condition };
}

function statusOf({ count }: Facts): JobStatus {
  const { uncounted, completed, failures } = count;
  return {
    active: count.active.length,
    ready: count.ready,
    terminating: count.terminating,
    succeeded: count.succeeded,
    failed: count.failed,
    uncountedTerminatedPods: uncounted,
    ...(completed !== undefined && { completedIndexes: indexesText(completed) }),
    ...(failures !== undefined && { failedIndexes: indexesText(failures.failed) }),
  };
}

function suspended(job: Job, facts: Facts): JobPlan {
  const at = timeText(facts.now);
  const message = 'Job suspended';
  const next = { type: 'Suspended', status: 'True', reason: 'JobSuspended', message } as const;
  const { conditions = [] } = job.status ?? {};
  return {
    status: {
      ...statusOf(facts),
      conditions: isSuspended(job)
        ? conditions
        : withCondition(conditions, { ...next, lastProbeTime: at }, at),
    },
    missing: 0,
    remove: facts.count.active,
    release: [...facts.count.countable, ...facts.count.active],
  };
}

/** It is said of it; not, that it is wanted. */
export function isSuspended({ status }: Pick<Job, 'status'>): boolean {
  return (
    status?.conditions?.some(({ type, status }) => type === 'Suspended' && status === 'True') ??
    false
  );
}

function goingOn(job: Job, facts: Facts): JobPlan {
  const { count } = facts;
  const wanted = wantedPods(job, count);
  const surplus = surplusPods(job, count.active, Math.max(0, wanted));
  // First they go, and then others come.
  const short = surplus.length > 0 ? 0 : wanted - occupied(job, count);
  const { waits, ...making } =
    count.completed === undefined ? plain(short, facts) : indexed(job, { short, facts });
  const all = [...(short > 0 ? waits : []), deadlineLeft(job, facts.now)].filter((ms) => ms > 0);
  return {
    status: { ...statusOf(facts), ...begun(job, timeText(facts.now)) },
    ...making,
    remove: surplus,
    release: [...count.countable, ...surplus],
    ...(all.length > 0 && { waitMs: Math.min(...all) }),
  };
}

type Making = Pick<JobPlan, 'missing' | 'indexes'> & { readonly waits: readonly number[] };
type Short = { readonly short: number; readonly facts: Facts };

function plain(short: number, facts: Facts): Making {
  const backoffMs = backoffLeft(facts);
  return { missing: backoffMs > 0 ? 0 : Math.max(0, short), waits: [backoffMs] };
}

/** An index that may fail by itself waits by itself as well, and keeps its turn. */
function indexed(job: Job, { short, facts }: Short): Making {
  const { active, completed = [], failures } = facts.count;
  const taken = new Set([...completed, ...active.map(indexOf), ...(failures?.failed ?? [])]);
  const { completions = 1 } = job.spec;
  const due = freeIndexes(Math.max(0, short), { completions, taken });
  const waits = due.map((index) => indexBackoff(failures?.replaceable.get(index), facts));
  if (failures === undefined) {
    const making = plain(due.length, facts);
    return { ...making, indexes: due.slice(0, making.missing) };
  }
  const indexes = due.filter((_, at) => (waits[at] ?? 0) <= 0);
  return { missing: indexes.length, indexes, waits: waits.filter((ms) => ms > 0) };
}

function indexBackoff(failed: Pod | undefined, { now, backoffMs, failedAt }: Facts): number {
  if (failed === undefined) return 0;
  const wait = Math.min(backoffMs * 2 ** triesOf(failed), mostBackoffMs);
  return failedAt(failed) + wait - now.getTime();
}

function wantedPods({ spec }: Job, count: Count): number {
  const { parallelism = 1, completions } = spec;
  const { succeeded } = totals(count);
  if (completions !== undefined) return Math.min(parallelism, completions - succeeded);
  // Once one has succeeded no new ones are begun.
  return succeeded > 0 ? count.active.length : parallelism;
}

function occupied({ spec }: Job, { active, terminating }: Count): number {
  return active.length + (isAwaited(spec) ? terminating : 0);
}

function backoffLeft({ count, now, backoffMs, lastFailureMs }: Facts): number {
  const { failed } = totals(count);
  if (failed === 0 || lastFailureMs === undefined) return 0;
  const wait = Math.min(backoffMs * 2 ** (failed - 1), mostBackoffMs);
  return lastFailureMs + wait - now.getTime();
}

function deadlineLeft({ spec, status }: Job, now: Date): number {
  const { activeDeadlineSeconds } = spec;
  if (activeDeadlineSeconds === undefined) return 0;
  const since = Date.parse(status?.startTime ?? now.toISOString());
  return since + activeDeadlineSeconds * 1_000 - now.getTime();
}

/** A job that is resumed begins anew. */
function begun(job: Job, at: string): JobStatus {
  const { conditions = [], startTime = at } = job.status ?? {};
  if (!isSuspended(job) || isLeaving(job)) return { startTime, conditions };
  const message = 'Job resumed';
  const next = { type: 'Suspended', status: 'False', reason: 'JobResumed', message } as const;
  return {
    startTime: at,
    conditions: withCondition(conditions, { ...next, lastProbeTime: at }, at),
  };
}
