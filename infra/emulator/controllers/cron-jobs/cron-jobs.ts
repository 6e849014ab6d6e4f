import { done, later, type Outcome } from '#shared/domain/outcome.ts';
import { timeText } from '../conditions.ts';
import { outcomeOf, outcomeOfAll } from '../frame/api.ts';
import { type Controller, targetOf, type World, wake } from '../frame/controller.ts';
import { writeStatus } from '../frame/write-status.ts';
import { ownerReference } from '../owning/claim.ts';
import { controllerPlaces } from '../owning/claimed.ts';
import { byOf } from '../owning/told.ts';
import type { CronJob } from '../shapes/batch.ts';
import { cronJobs, jobs } from '../shapes/kinds.ts';
import { isControlledBy, placeOf } from '../shapes/meta.ts';
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
  { remove, startFor, status }: CronPlan,
  world: World,
): Promise<Outcome> {
  const removed = remove.map((job) => {
    return world.api.remove(targetOf(jobs, job), { uid: job.metadata.uid });
  });
  const outcome = outcomeOfAll(await Promise.all(removed));
  if (outcome.kind !== 'done') return outcome;
  if (startFor === undefined) {
    return writeStatus(world, { kind: cronJobs, object: cron, status });
  }
  const made = await world.api.create(jobs, jobObject(cron, startFor));
  // There already: made before the status could be written.
  if (made.kind !== 'written' && made.kind !== 'conflict') return outcomeOf(made);
  if (made.kind === 'written') {
    const note = `Created job ${made.object.metadata.name}`;
    const by = byOf(cronJobs);
    world.report(cron, cronJobs, { type: 'Normal', reason: 'SuccessfulCreate', note, by });
  }
  const lastScheduleTime = timeText(startFor);
  const stated = { ...status, lastScheduleTime };
  return writeStatus(world, { kind: cronJobs, object: cron, status: stated });
}

function jobObject(cron: CronJob, due: number) {
  const { metadata, spec } = cron.spec.jobTemplate;
  return {
    metadata: {
      name: jobName(cron, due),
      namespace: cron.metadata.namespace ?? '',
      labels: { ...metadata?.labels },
      annotations: { ...metadata?.annotations, [scheduledKey]: timeText(due) },
      ownerReferences: [ownerReference(cron)],
    },
    spec,
  };
}
