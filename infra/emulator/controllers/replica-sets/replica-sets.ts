import { done, later, type Outcome } from '#shared/domain/outcome.ts';
import { matchesLabels } from '#shared/domain/selector.ts';
import { outcomeOf } from '../frame/api.ts';
import { type Controller, type World, wake } from '../frame/controller.ts';
import { writeStatus } from '../frame/write-status.ts';
import { claimed, controllerPlaces } from '../owning/claimed.ts';
import { createPods, whyOf } from '../owning/create-pods.ts';
import { podOf } from '../owning/pod-of.ts';
import { removePods } from '../owning/remove-pods.ts';
import { pods, replicaSets } from '../shapes/kinds.ts';
import { controllerOf, isLeaving, placeOf } from '../shapes/meta.ts';
import type { Pod } from '../shapes/pod.ts';
import type { ReplicaSet } from '../shapes/workload.ts';
import { planReplicas, replicaStatus, secondsUntilAvailable } from './plan-replicas.ts';

export const replicaSetController: Controller = {
  name: 'replica-sets',
  wakes: [
    wake(replicaSets, (set) => [placeOf(set)]),
    wake(pods, controllerPlaces('ReplicaSet')),
    wake(pods, wouldAdopt),
  ],
  async reconcile(place, world) {
    const set = world.shelf(replicaSets).find(place);
    if (set === undefined) return done;
    const { selector } = set.spec;
    const owned = await claimed(world, { owner: set, selector, of: pods });
    const scaling = isLeaving(set) ? {} : await scale(set, owned, world);
    const status = await tell(set, scaling.failure, world);
    return scaling.outcome ?? status;
  },
};

function wouldAdopt(pod: Pod, world: World): readonly string[] {
  if (controllerOf(pod) !== undefined || pod.metadata.labels === undefined) return [];
  const labels = pod.metadata.labels;
  return [...world.shelf(replicaSets).list(pod.metadata.namespace)]
    .filter(({ spec }) => matchesLabels(spec.selector, labels))
    .map(placeOf);
}

type Scaling = { readonly outcome?: Outcome; readonly failure?: string };

async function scale(set: ReplicaSet, owned: readonly Pod[], world: World): Promise<Scaling> {
  const { missing, surplus } = planReplicas(set, owned);
  const pod = podOf({ owner: set, template: set.spec.template });
  const stated = Array.from({ length: missing }, () => pod);
  const failed = await createPods(world, { owner: set, kind: replicaSets, stated });
  if (failed !== undefined) return { outcome: outcomeOf(failed), failure: whyOf(failed) };

  const outcome = await removePods(world, { owner: set, kind: replicaSets, surplus });
  return outcome.kind === 'done' ? {} : { outcome };
}

/** From what the shelf says now: our own writes included. */
async function tell(set: ReplicaSet, failure: string | undefined, world: World): Promise<Outcome> {
  const owned = [...world.shelf(pods).ownedBy(set.metadata.uid)];
  const now = world.now();
  const facts = { owned, now, ...(failure !== undefined && { failure }) };
  const written = await writeStatus(world, {
    kind: replicaSets,
    object: set,
    status: replicaStatus(set, facts),
  });
  if (written.kind !== 'done') return written;
  const { minReadySeconds = 0 } = set.spec;
  const seconds = secondsUntilAvailable(owned, { minReadySeconds, now });
  return seconds === undefined ? done : later(seconds);
}
