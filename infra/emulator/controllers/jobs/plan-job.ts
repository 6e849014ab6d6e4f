import { timeText, withCondition } from '../conditions.ts';
import type { Job, JobStatus } from '../shapes/batch.ts';
import type { Condition } from '../shapes/meta.ts';
import { isLeaving } from '../shapes/meta.ts';
import type { Pod } from '../shapes/pod.ts';
import { type Count, totals } from './count-pods.ts';

export type JobPlan = {
  readonly status: JobStatus;
  /** How many pods to make. */
  readonly missing: number;
  readonly remove: readonly Pod[];
  /** Until there is something to do that no change tells of. */
  readonly waitMs?: number;
};

type Facts = {
  readonly count: Count;
  readonly now: Date;
  /** After a failure the next pod waits so long, twice as long after each. */
  readonly backoffMs: number;
  readonly lastFailureMs: number | undefined;
};

/** How a job ends, or that it goes on. */
type Verdict =
  | { readonly kind: 'on' }
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string };

export function planJob(job: Job, facts: Facts): JobPlan {
  const verdict = verdictOf(job, facts);
  if (verdict.kind !== 'on') return ending(job, facts, verdict);
  if (job.spec.suspend === true) return suspended(job, facts);
  return goingOn(job, facts);
}

function verdictOf(job: Job, { count, now }: Facts): Verdict {
  const known = job.status?.conditions ?? [];
  const failing = known.find(({ type, status }) => type === 'FailureTarget' && status === 'True');
  if (failing !== undefined) {
    return { kind: 'failed', reason: failing.reason ?? '', message: failing.message ?? '' };
  }
  if (known.some(({ type }) => type === 'SuccessCriteriaMet')) return { kind: 'succeeded' };
  const broken = count.verdicts.find(({ kind }) => kind === 'fail-job');
  if (broken?.kind === 'fail-job') {
    return { kind: 'failed', reason: 'PodFailurePolicy', message: broken.why };
  }
  return limitsOf(job, count, now);
}

function limitsOf({ spec, status }: Job, count: Count, now: Date): Verdict {
  const { succeeded, failed } = totals(count);
  const { backoffLimit = 6, completions, activeDeadlineSeconds } = spec;
  if (failed > backoffLimit || restartsIn(count) > backoffLimit) {
    const message = 'Job has reached the specified backoff limit';
    return { kind: 'failed', reason: 'BackoffLimitExceeded', message };
  }
  const ranMs = now.getTime() - Date.parse(status?.startTime ?? '');
  if (activeDeadlineSeconds !== undefined && ranMs >= activeDeadlineSeconds * 1_000) {
    const message = 'Job was active longer than specified deadline';
    return { kind: 'failed', reason: 'DeadlineExceeded', message };
  }
  // Without a number of completions the pods share a queue: when one has found it empty, it is.
  const isEnough =
    completions === undefined
      ? succeeded > 0 && count.active.length === 0
      : succeeded >= completions;
  return isEnough ? { kind: 'succeeded' } : { kind: 'on' };
}

/** Containers that are restarted in their pod count like pods that failed. */
function restartsIn({ active }: Count): number {
  return active
    .filter(({ spec }) => spec.restartPolicy === 'OnFailure')
    .flatMap(({ status }) => status?.containerStatuses ?? [])
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
    ...statusOf(job, facts),
    conditions: isOver
      ? withCondition(conditions, { type: said.end, ...said.condition, lastProbeTime: at }, at)
      : conditions,
    ...(isOver && verdict.kind === 'succeeded' && { completionTime: at }),
  };
  return { status, missing: 0, remove: count.active };
}

function saidOf(verdict: Exclude<Verdict, { kind: 'on' }>) {
  const status = 'True' as const;
  if (verdict.kind === 'failed') {
    const { reason, message } = verdict;
    const condition: Omit<Condition, 'type'> = { status, reason, message };
    return { target: 'FailureTarget', end: 'Failed', condition };
  }
  const message = 'Reached expected number of succeeded pods';
  const condition: Omit<Condition, 'type'> = { status, reason: 'CompletionsReached', message };
  return { target: 'SuccessCriteriaMet', end: 'Complete', condition };
}

function statusOf(job: Job, { count, now }: Facts): JobStatus {
  const { uncounted, completedIndexes } = count;
  return {
    startTime: job.status?.startTime ?? timeText(now),
    active: count.active.length,
    ready: count.ready,
    terminating: count.terminating,
    succeeded: count.succeeded,
    failed: count.failed,
    uncountedTerminatedPods: uncounted,
    ...(completedIndexes !== undefined && { completedIndexes }),
  };
}

function suspended(job: Job, facts: Facts): JobPlan {
  const at = timeText(facts.now);
  const message = 'Job suspended';
  const next = { type: 'Suspended', status: 'True', reason: 'JobSuspended', message } as const;
  const { startTime: _, ...status } = statusOf(job, facts);
  const conditions = withCondition(job.status?.conditions, { ...next, lastProbeTime: at }, at);
  const started = job.status?.startTime === undefined ? {} : { startTime: undefined };
  return {
    status: { ...status, ...started, conditions },
    missing: 0,
    remove: facts.count.active,
  };
}

function goingOn(job: Job, facts: Facts): JobPlan {
  const { count } = facts;
  const wanted = wantedPods(job, count);
  const short = wanted - occupied(job, count);
  const backoffMs = backoffLeft(facts);
  const surplus = count.active.slice(Math.max(0, wanted));
  const waits = [short > 0 ? backoffMs : 0, deadlineLeft(job, facts.now)].filter((ms) => ms > 0);
  return {
    status: { ...statusOf(job, facts), conditions: resumed(job, facts.now) },
    missing: backoffMs > 0 ? 0 : Math.max(0, short),
    remove: short < 0 ? surplus : [],
    ...(waits.length > 0 && { waitMs: Math.min(...waits) }),
  };
}

function wantedPods({ spec }: Job, count: Count): number {
  const { parallelism = 1, completions } = spec;
  const { succeeded } = totals(count);
  if (completions !== undefined) return Math.min(parallelism, completions - succeeded);
  // Once one has succeeded no new ones are begun.
  return succeeded > 0 ? count.active.length : parallelism;
}

/** With a policy for failures, a pod that ends holds its place until it is known how. */
function occupied({ spec }: Job, { active, terminating }: Count): number {
  const waits = spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined;
  return active.length + (waits ? terminating : 0);
}

function backoffLeft({ count, now, backoffMs, lastFailureMs }: Facts): number {
  const { failed } = totals(count);
  if (failed === 0 || lastFailureMs === undefined) return 0;
  const wait = Math.min(backoffMs * 2 ** (failed - 1), 360_000);
  return lastFailureMs + wait - now.getTime();
}

function deadlineLeft({ spec, status }: Job, now: Date): number {
  const { activeDeadlineSeconds } = spec;
  if (activeDeadlineSeconds === undefined) return 0;
  const since = Date.parse(status?.startTime ?? now.toISOString());
  return since + activeDeadlineSeconds * 1_000 - now.getTime();
}

function resumed(job: Job, now: Date): readonly Condition[] {
  const conditions = job.status?.conditions ?? [];
  const isSuspended = conditions.some(
    ({ type, status }) => type === 'Suspended' && status === 'True',
  );
  if (!isSuspended || isLeaving(job)) return conditions;
  const message = 'Job resumed';
  const next = { type: 'Suspended', status: 'False', reason: 'JobResumed', message } as const;
  return withCondition(conditions, next, timeText(now));
}
