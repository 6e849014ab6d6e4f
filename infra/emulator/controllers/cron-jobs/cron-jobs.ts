import { done, later, type Outcome } from '#shared/domain/outcome.ts';
import { timeText } from '../conditions.ts';
import { outcomeOf, outcomeOfAll, type Written } from '../frame/api.ts';
import { type Controller, type Report, targetOf, type World, wake } from '../frame/controller.ts';
import { writeStatus } from '../frame/write-status.ts';
import { ownerReference } from '../owning/claim.ts';
import { controllerPlaces } from '../owning/claimed.ts';
import { byOf } from '../owning/told.ts';
import { type CronJob, type CronJobStatus, finishOf, type Job } from '../shapes/batch.ts';
import { cronJobs, jobs } from '../shapes/kinds.ts';
import { isControlledBy, placeOf } from '../shapes/meta.ts';
import { referenceTo } from './active-jobs.ts';
import { zonedText } from './due-times.ts';
import { type CronPlan, jobName, planCron } from './plan-cron.ts';

const scheduledKey = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

export const cronJobController: Controller = {
  name: 'cron-jobs',
  wakes: [wake(cronJobs, (cron) => [placeOf(cron)]), wake(jobs, controllerPlaces('CronJob'))],
  async reconcile(place, world) {
    const cron = world.shelf(cronJobs).find(place);
    if (cron === undefined) return done;
    const owned = [...world.shelf(jobs).ownedBy(cron.metadata.uid)];
    const own = owned.filter((job) => isControlledBy(job, cron));
    const plan = planCron(cron, { jobs: own, now: world.now().getTime() });
    const moved = await carryOut(cron, plan, world);
    if (moved.kind !== 'done') return moved;
    return plan.waitMs === undefined ? done : later(Math.max(plan.waitMs, 1) / 1_000);
  },
};

async function carryOut(
  cron: CronJob,
  { remove, startFor, status, said }: CronPlan,
  world: World,
): Promise<Outcome> {
  const removed = await Promise.all(remove.map((job) => removeJob(cron, job, world)));
  const outcome = outcomeOfAll(removed);
  if (outcome.kind !== 'done') return outcome;
  const begun = startFor === undefined ? status : await begin(cron, { startFor, status }, world);
  if ('kind' in begun) return begun;
  const written = await writeStatus(world, { kind: cronJobs, object: cron, status: begun });
  // Not before it is known: what is looked at again is told again.
  if (written.kind === 'done') for (const each of said) tell(cron, each, world);
  return written;
}

async function removeJob(cron: CronJob, job: Job, world: World): Promise<Written> {
  const removed = await world.api.remove(targetOf(jobs, job), { uid: job.metadata.uid });
  const note = `Deleted job ${job.metadata.name}`;
  if (removed.kind === 'written')
    tell(cron, { type: 'Normal', reason: 'SuccessfulDelete', note }, world);
  return removed;
}

type Due = { readonly startFor: number; readonly status: CronJobStatus };

async function begin(cron: CronJob, due: Due, world: World): Promise<CronJobStatus | Outcome> {
  const { startFor, status } = due;
  const lastScheduleTime = timeText(startFor);
  const made = await world.api.create(jobs, jobObject(cron, startFor));
  if (made.kind === 'conflict')
    return { ...status, ...alreadyBegun(cron, due, world), lastScheduleTime };
  if (made.kind === 'refused') {
    const note = `Error creating job: ${made.why}`;
    tell(cron, { type: 'Warning', reason: 'FailedCreate', note }, world);
  }
  if (made.kind !== 'written') return outcomeOf(made);
  // The answer to a Job's creation.
  const job = made.object as unknown as Job;
  const note = `Created job ${job.metadata.name}`;
  tell(cron, { type: 'Normal', reason: 'SuccessfulCreate', note }, world);
  return { ...status, active: [...(status.active ?? []), referenceTo(job)], lastScheduleTime };
}

/** Made before the status could be written. */
function alreadyBegun(cron: CronJob, { startFor, status }: Due, world: World): CronJobStatus {
  const name = jobName(cron, startFor);
  const own = [...world.shelf(jobs).ownedBy(cron.metadata.uid)];
  const found = own.find((job) => job.metadata.name === name && finishOf(job) === undefined);
  const known = status.active ?? [];
  if (found === undefined || known.some(({ uid }) => uid === found.metadata.uid)) return {};
  return { active: [...known, referenceTo(found)] };
}

function tell(cron: CronJob, report: Report, world: World): void {
  world.report(cron, cronJobs, { ...report, by: byOf(cronJobs) });
}

function jobObject(cron: CronJob, due: number) {
  const { jobTemplate, timeZone = 'UTC' } = cron.spec;
  const { metadata, spec } = jobTemplate;
  return {
    metadata: {
      name: jobName(cron, due),
      namespace: cron.metadata.namespace ?? '',
      labels: { ...metadata?.labels },
      annotations: { ...metadata?.annotations, [scheduledKey]: zonedText(due, timeZone) },
      ownerReferences: [ownerReference(cron)],
    },
    spec,
  };
}
