import type { Report } from '../frame/controller.ts';
import { type CronJob, finishOf, type Job, type JobReference } from '../shapes/batch.ts';

export type ActiveJobs = {
  /** Of the jobs that the cron job is known to have begun, those that go on. */
  readonly active: readonly JobReference[];
  readonly said: readonly Report[];
};

/** A job that somebody else made of the template is told, and never counted. */
export function activeJobs({ status }: CronJob, jobs: readonly Job[]): ActiveJobs {
  const known = status?.active ?? [];
  const listed = new Set(known.map(({ uid }) => uid));
  const own = new Map(jobs.map((job) => [job.metadata.uid, job]));
  return {
    active: known.filter(({ uid }) => {
      const job = own.get(uid);
      return job !== undefined && finishOf(job) === undefined;
    }),
    said: [
      ...jobs.flatMap((job) => saidOf(job, listed.has(job.metadata.uid))),
      ...known.filter(({ uid }) => !own.has(uid)).map(missing),
    ],
  };
}

function saidOf(job: Job, isListed: boolean): readonly Report[] {
  const { name } = job.metadata;
  const finish = finishOf(job);
  if (finish === undefined && !isListed) {
    const note = `Saw a job that the controller did not create or forgot: ${name}`;
    return [{ type: 'Warning', reason: 'UnexpectedJob', note }];
  }
  if (finish === undefined || !isListed) return [];
  const note = `Saw completed job: ${name}, condition: ${finish.type}`;
  return [{ type: 'Normal', reason: 'SawCompletedJob', note }];
}

function missing({ name }: JobReference): Report {
  return { type: 'Normal', reason: 'MissingJob', note: `Active job went missing: ${name}` };
}

export function referenceTo({ metadata }: Pick<Job, 'metadata'>): JobReference {
  const { namespace = '', name, uid, resourceVersion } = metadata;
  return { apiVersion: 'batch/v1', kind: 'Job', namespace, name, uid, resourceVersion };
}
