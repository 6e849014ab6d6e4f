import { done, later, type Outcome } from '#shared/domain/outcome.ts';
import { outcomeOf, outcomeOfAll, type Written } from '../frame/api.ts';
import { type Controller, targetOf, type World, wake } from '../frame/controller.ts';
import { writeStatus } from '../frame/write-status.ts';
import { mergePatchOf } from '../merge-patch.ts';
import { adopterPlaces, claimed, controllerPlaces } from '../owning/claimed.ts';
import { deployments, pods, replicaSets } from '../shapes/kinds.ts';
import { type Condition, isLeaving, placeOf } from '../shapes/meta.ts';
import { isOver, type Pod } from '../shapes/pod.ts';
import type { Deployment } from '../shapes/workload.ts';
import { createSet, type Rolling } from './create-set.ts';
import { planRollout, type Rollout, type Size } from './plan-rollout.ts';
import { progressIn, secondsLeft } from './rollout-conditions.ts';
import { nextRevision, replicasOf, type Sets, setsOf } from './rollout-sets.ts';
import { rolloutStatus } from './rollout-status.ts';
import { setAnnotations, sizeAnnotations } from './set-object.ts';
import { stateRevision, tellScaled } from './telling.ts';

export const deploymentController: Controller = {
  name: 'deployments',
  wakes: [
    wake(deployments, (deployment) => [placeOf(deployment)]),
    wake(replicaSets, controllerPlaces('Deployment')),
    wake(
      replicaSets,
      adopterPlaces(deployments, ({ spec }) => spec.selector),
    ),
    // A set forgets a pod that is on its way out; a Recreate waits until it is gone.
    wake(pods, (pod, world) => (isLeaving(pod) ? deploymentOf(pod, world) : [])),
  ],
  async reconcile(place, world) {
    const deployment = world.shelf(deployments).find(place);
    if (deployment === undefined) return done;
    const { selector } = deployment.spec;
    const all = await claimed(world, { owner: deployment, selector, of: replicaSets });
    const sets = setsOf(deployment, all);
    const plan = planRollout(deployment, { sets, oldPods: countOldPods(sets, world) });
    const rolled = await carryOut(plan, { deployment, sets, world });
    return rolled.kind === 'done' ? tell(place, world) : rolled;
  },
};

function deploymentOf(pod: Pod, world: World): readonly string[] {
  const [place = ''] = controllerPlaces('ReplicaSet')(pod);
  const set = world.shelf(replicaSets).find(place);
  return set === undefined ? [] : controllerPlaces('Deployment')(set);
}

function countOldPods({ old }: Sets, world: World): number {
  return old
    .flatMap(({ metadata }) => [...world.shelf(pods).ownedBy(metadata.uid)])
    .filter((pod) => !isOver(pod)).length;
}

async function carryOut({ create, sizes, remove }: Rollout, rolling: Rolling): Promise<Outcome> {
  const { world } = rolling;
  if (create !== undefined) {
    const made = await createSet(create, rolling);
    if (made.kind !== 'done') return made;
  }
  const written = await Promise.all([
    ...sizes.map((size) => resize(size, rolling)),
    ...remove.map(({ metadata }) => {
      const { uid } = metadata;
      return world.api.remove(targetOf(replicaSets, { metadata }), { uid });
    }),
  ]);
  const outcome = outcomeOfAll(written);
  return outcome.kind === 'done' ? annotate(rolling, sizes) : outcome;
}

async function resize({ set, replicas }: Size, { deployment, world }: Rolling): Promise<Written> {
  const body = { spec: { replicas }, metadata: { annotations: sizeAnnotations(deployment) } };
  const { name, resourceVersion } = set.metadata;
  const written = await world.api.patch(targetOf(replicaSets, set), body, resourceVersion);
  if (written.kind === 'written') {
    tellScaled({ name, from: replicasOf([set]), to: replicas }, deployment, world);
  }
  return written;
}

/** Annotations, and what else of the current set and of the deployment follows from the plan. */
async function annotate(rolling: Rolling, sizes: readonly Size[]): Promise<Outcome> {
  const { deployment, sets, world } = rolling;
  const { current } = sets;
  const isResized = sizes.some(({ set }) => set === current);
  if (current === undefined || isResized) return done;

  const { minReadySeconds } = deployment.spec;
  const stated = {
    metadata: { annotations: setAnnotations(deployment, sets) },
    ...(minReadySeconds !== undefined && { spec: { minReadySeconds } }),
  };
  const patch = mergePatchOf(current, stated);
  const { resourceVersion } = current.metadata;
  if (patch !== undefined) {
    const target = targetOf(replicaSets, current);
    const written = outcomeOf(await world.api.patch(target, patch, resourceVersion));
    if (written.kind !== 'done') return written;
  }
  return stateRevision({ deployment, revision: nextRevision(sets) }, world);
}

/** From the shelves: what was just written stands there already. */
async function tell(place: string, world: World): Promise<Outcome> {
  const deployment = world.shelf(deployments).find(place);
  if (deployment === undefined) return done;
  const owned = [...world.shelf(replicaSets).ownedBy(deployment.metadata.uid)];
  const now = world.now();
  const status = rolloutStatus(deployment, setsOf(deployment, owned), now);
  const written = await writeStatus(world, { kind: deployments, object: deployment, status });
  if (written.kind !== 'done') return written;
  return untilDeadline(deployment, progressIn(status.conditions), now);
}

function untilDeadline(deployment: Deployment, known: Condition | undefined, now: Date): Outcome {
  if (known === undefined || settled.includes(known.reason ?? '')) return done;
  const seconds = secondsLeft(deployment, now, known);
  const { progressDeadlineSeconds = 600 } = deployment.spec;
  if (progressDeadlineSeconds > 100_000) return done;
  return seconds > 0 ? later(seconds + 1) : done;
}

/** No time runs. */
const settled = ['NewReplicaSetAvailable', 'ProgressDeadlineExceeded', 'DeploymentPaused'];
