import type { Report } from '../frame/controller.ts';
import { type CronJob, type CronJobStatus, finishOf, type Job } from '../shapes/batch.ts';
import { isLeaving } from '../shapes/meta.ts';
import { activeJobs } from './active-jobs.ts';
import { missedDue, mostMissed, nextDue } from './due-times.ts';
import { parseSchedule } from './schedule.ts';

export type CronPlan = {
  readonly status: CronJobStatus;
  readonly said: readonly Report[];
  /** The time for which a job is to be made. */
  readonly startFor?: number;
  readonly remove: readonly Job[];
  readonly waitMs?: number;
};

type Facts = { readonly jobs: readonly Job[]; readonly now: number };

export function planCron(cron: CronJob, { jobs, now }: Facts): CronPlan {
  const { active, said: seen } = activeJobs(cron, jobs);
  const status = { active, ...lastSuccess(cron, jobs) };
  const idle = { status, said: seen, remove: surplus(cron, jobs) };
  const schedule = parseSchedule(cron.spec.schedule);
  if (schedule === undefined || cron.spec.suspend === true || isLeaving(cron)) return idle;

  const clockwork = { schedule, timeZone: cron.spec.timeZone ?? 'UTC' };
  const next = nextDue(clockwork, now);
  const waits = next === undefined ? {} : { waitMs: next - now };
  const { last, count } = missedDue(clockwork, { since: sinceWhen(cron, now), until: now });
  const said = count > mostMissed ? [...seen, manyMissed] : seen;
  const waiting = { ...idle, ...waits, said };
  return last === undefined ? waiting : started(cron, { waiting, last, jobs });
}

type Due = Pick<Facts, 'jobs'> & { readonly waiting: CronPlan; readonly last: number };

function started(cron: CronJob, { waiting, last, jobs }: Due): CronPlan {
  const { active = [] } = waiting.status;
  // Two that are due within a minute have one name.
  if (active.some(({ name }) => name === jobName(cron, last))) return waiting;
  const policy = cron.spec.concurrencyPolicy ?? 'Allow';
  if (policy === 'Forbid' && active.length > 0)
    return { ...waiting, said: [...waiting.said, alreadyActive] };
  const begun = { ...waiting, startFor: last };
  if (policy !== 'Replace') return begun;
  const uids = new Set(active.map(({ uid }) => uid));
  const replaced = jobs.filter(({ metadata }) => uids.has(metadata.uid));
  const status = { ...waiting.status, active: [] };
  return { ...begun, status, remove: [...waiting.remove, ...replaced] };
}

const alreadyActive: Report = {
  type: 'Normal',
  reason: 'JobAlreadyActive',
  note: 'Not starting job because prior execution is running and concurrency policy is Forbid',
};

const manyMissed: Report = {
  type: 'Warning',
  reason: 'TooManyMissedTimes',
  note: 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
};

/** Not before it was last seen to be due, and not longer ago than it may be late. */
function sinceWhen({ spec, status, metadata }: CronJob, now: number): number {
  const { startingDeadlineSeconds } = spec;
  const last = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp);
  const earliest =
    startingDeadlineSeconds === undefined ? last : now - startingDeadlineSeconds * 1_000;
  return Math.max(last, earliest);
}

function lastSuccess({ status }: CronJob, jobs: readonly Job[]): CronJobStatus {
  const ends = jobs.flatMap((job) => job.status?.completionTime ?? []).toSorted();
  const last = ends.at(-1) ?? '';
  const known = status?.lastSuccessfulTime ?? '';
  const lastSuccessfulTime = last > known ? last : known;
  return lastSuccessfulTime === '' ? {} : { lastSuccessfulTime };
}

/** Finished jobs beyond those that are kept to be looked at, the oldest. */
function surplus({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const kept = [
    ['Complete', spec.successfulJobsHistoryLimit ?? 3],
    ['Failed', spec.failedJobsHistoryLimit ?? 1],
  ] as const;
  return kept.flatMap(([type, limit]) => {
    const ended = jobs
      .filter((job) => finishOf(job)?.type === type && !isLeaving(job))
      .toSorted((a, b) => startOf(a) - startOf(b));
    return ended.slice(0, Math.max(0, ended.length - limit));
  });
}

function startOf({ status, metadata }: Job): number {
  return Date.parse(status?.startTime ?? metadata.creationTimestamp);
}

/** The same for the same time: made twice, it is made once. */
export function jobName({ metadata }: CronJob, due: number): string {
  return `${metadata.name}-${Math.floor(due / 60_000)}`;
}
