import { done, later, type Outcome } from '#shared/domain/outcome.ts';
import { accountOf } from '../frame/acting-as.ts';
import { outcomeOf, outcomeOfAll, type Written } from '../frame/api.ts';
import { type Controller, targetOf, type World, wake } from '../frame/controller.ts';
import { writeStatus } from '../frame/write-status.ts';
import { adopterPlaces, claimed, controllerPlaces } from '../owning/claimed.ts';
import { createPods } from '../owning/create-pods.ts';
import { removePods } from '../owning/remove-pods.ts';
import { byOf } from '../owning/told.ts';
import { finishOf, type Job } from '../shapes/batch.ts';
import { jobs, pods } from '../shapes/kinds.ts';
import { controllerOf, isControlledBy, isLeaving, type Labels, placeOf } from '../shapes/meta.ts';
import type { Pod } from '../shapes/pod.ts';
import { type Count, countPods, isFinished, isHeld, tracking } from './count-pods.ts';
import { countsAfter } from './index-failures.ts';
import { jobPod } from './job-pod.ts';
import { isSuspended, type JobPlan, planJob } from './plan-job.ts';
import { openSeenFailures } from './seen-failures.ts';

const ownName = 'kubernetes.io/job-controller';

export function jobController({ backoffMs }: { readonly backoffMs: number }): Controller {
  const failures = openSeenFailures();
  return {
    name: 'jobs',
    wakes: [
      wake(jobs, (job) => [placeOf(job)]),
      wake(pods, controllerPlaces('Job')),
      wake(
        pods,
        adopterPlaces(jobs, ({ spec }) => spec.selector),
      ),
    ],
    async reconcile(place, world) {
      const job = world.shelf(jobs).find(place);
      if (job === undefined) failures.forget(place);
      if (job === undefined || isLeaving(job)) return releaseAll(strayPods(place, world), world);
      if (isFinished(job)) return afterEnd(job, world);
      if (isOthers(job)) return done;
      const count = countPods(job, await claimedPods(job, world));
      const now = world.now();
      const seen = failures.look(place, count, now.getTime());
      return work(job, { count, now, backoffMs, ...seen }, world);
    },
  };
}

function isOthers({ spec: { managedBy = ownName } }: Job): boolean {
  return managedBy !== ownName;
}

function claimedPods(job: Job, world: World): Promise<readonly Pod[]> {
  const { selector } = job.spec;
  return claimed(world, { owner: job, selector, of: pods, finalizer: tracking });
}

type Facts = Parameters<typeof planJob>[1];

function ownedPods(job: Job, world: World): readonly Pod[] {
  return [...world.shelf(pods).ownedBy(job.metadata.uid)].filter((pod) => isControlledBy(pod, job));
}

/** Of a job that is gone, or goes: nobody counts them any more. */
function strayPods(place: string, world: World): readonly Pod[] {
  const [namespace = '', name = ''] = place.split('/');
  return [...world.shelf(pods).list(namespace)].filter((pod) => {
    const owner = controllerOf(pod);
    const isOurs = owner?.kind === 'Job' && owner.name === name;
    return isOurs && pod.metadata.finalizers?.includes(tracking);
  });
}

async function work(job: Job, facts: Facts, world: World): Promise<Outcome> {
  const plan = planJob(job, facts);
  const written = await writeStatus(world, { kind: jobs, object: job, status: plan.status });
  if (written.kind !== 'done') return written;
  const after = { ...job, status: plan.status };
  if (!isFinished(job)) tellEnd(after, world);
  if (isSuspended(job) !== isSuspended(after)) tellSuspension(after, world);

  const released = await releaseAll(plan.release, world);
  const outcome = await removePods(world, { owner: job, kind: jobs, surplus: plan.remove });
  const failed = await createMissing(job, { plan, count: facts.count }, world);
  if (failed !== undefined) return outcomeOf(failed);
  const first = [released, outcome].find(({ kind }) => kind !== 'done');
  return first ?? (plan.waitMs === undefined ? again(job, world) : later(plan.waitMs / 1_000));
}

function tellEnd(job: Job, world: World): void {
  const { type, reason = '', message = '' } = finishOf(job) ?? {};
  const by = byOf(jobs);
  if (type === 'Complete') {
    world.report(job, jobs, { type: 'Normal', reason: 'Completed', note: 'Job completed', by });
  } else if (type === 'Failed') {
    world.report(job, jobs, { type: 'Warning', reason, note: message, by });
  }
}

function tellSuspension(job: Job, world: World): void {
  const reason = isSuspended(job) ? 'Suspended' : 'Resumed';
  const note = `Job ${reason.toLowerCase()}`;
  world.report(job, jobs, { type: 'Normal', reason, note, by: byOf(jobs) });
}

/** The status that was just written may ask for the next step, of which no change tells. */
function again(job: Job, world: World): Outcome {
  const known = world.shelf(jobs).find(placeOf(job));
  return known?.metadata.resourceVersion === job.metadata.resourceVersion ? done : later(0.001);
}

type Missing = { readonly plan: JobPlan; readonly count: Count };

function createMissing(job: Job, { plan, count }: Missing, world: World) {
  const { missing, indexes } = plan;
  const stated =
    indexes === undefined
      ? Array.from({ length: missing }, () => jobPod(job, undefined))
      : indexes.map((index) => jobPod(job, index, countsOf(job, index, count)));
  return createPods(world, { owner: job, kind: jobs, stated });
}

function countsOf(job: Job, index: number, { failures }: Count): Labels | undefined {
  return failures && countsAfter(job, failures.replaceable.get(index));
}

async function releaseAll(held: readonly Pod[], world: World): Promise<Outcome> {
  return outcomeOfAll(await Promise.all(held.map((pod) => release(pod, world))));
}

function release(pod: Pod, world: World): Promise<Written> {
  const finalizers = (pod.metadata.finalizers ?? []).filter((each) => each !== tracking);
  const body = { metadata: { finalizers } };
  return world.api.patch(targetOf(pods, pod), body, pod.metadata.resourceVersion);
}

/** When its time to be looked at is over, a finished job goes with its pods. */
async function afterEnd(job: Job, world: World): Promise<Outcome> {
  const held = isOthers(job) ? [] : ownedPods(job, world).filter(isHeld);
  const released = await releaseAll(held, world);
  const { ttlSecondsAfterFinished: seconds } = job.spec;
  if (released.kind !== 'done' || seconds === undefined) return released;
  const since = Date.parse(finishOf(job)?.lastTransitionTime ?? '');
  const leftMs = since + seconds * 1_000 - world.now().getTime();
  if (leftMs > 0) return later(leftMs / 1_000);
  const removal = { uid: job.metadata.uid, propagation: 'Foreground' } as const;
  const sweeper = world.as(accountOf('ttl-after-finished-controller'));
  return outcomeOf(await sweeper.api.remove(targetOf(jobs, job), removal));
}
