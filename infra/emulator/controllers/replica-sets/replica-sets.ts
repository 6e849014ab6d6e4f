import type { Kind } from '#shared/domain/kind.ts';
import { done, later, type Outcome } from '#shared/domain/outcome.ts';
import { outcomeOf } from '../frame/api.ts';
import { type Controller, type ControllerName, type World, wake } from '../frame/controller.ts';
import { writeStatus } from '../frame/write-status.ts';
import { adopterPlaces, claimed, controllerPlaces } from '../owning/claimed.ts';
import { createPods, whyOf } from '../owning/create-pods.ts';
import { podOf } from '../owning/pod-of.ts';
import { removePods } from '../owning/remove-pods.ts';
import { type KindOf, pods, replicaSets, replicationControllers } from '../shapes/kinds.ts';
import { isLeaving, placeOf, type Thing } from '../shapes/meta.ts';
import type { Pod } from '../shapes/pod.ts';
import type { ReplicaSet } from '../shapes/workload.ts';
import { planReplicas, replicaStatus, secondsUntilAvailable } from './plan-replicas.ts';

/** Two kinds do the same; the older one has a selector of labels alone. */
type Replicated<T extends Thing> = {
  readonly name: ControllerName;
  readonly kind: KindOf<T>;
  asSet(object: T): ReplicaSet;
};

export const replicaSetController: Controller = controllerOfPods({
  name: 'replica-sets',
  kind: replicaSets,
  asSet: (set) => set,
});

export const replicationController: Controller = controllerOfPods({
  name: 'replication-controllers',
  kind: replicationControllers,
  asSet: ({ spec, ...own }) => ({
    ...own,
    spec: { ...spec, selector: { matchLabels: spec.selector ?? {} } },
  }),
});

function controllerOfPods<T extends Thing>({ name, kind, asSet }: Replicated<T>): Controller {
  return {
    name,
    wakes: [
      wake(kind, (object) => [placeOf(object)]),
      wake(pods, controllerPlaces(kind.kind)),
      wake(
        pods,
        adopterPlaces(kind, (object) => asSet(object).spec.selector),
      ),
    ],
    async reconcile(place, world) {
      const object = world.shelf(kind).find(place);
      if (object === undefined) return done;
      const set = asSet(object);
      const { selector } = set.spec;
      const owned = await claimed(world, { owner: set, selector, of: pods });
      const scaling = isLeaving(set) ? {} : await scale({ set, kind }, owned, world);
      const status = await tell({ set, kind }, scaling.failure, world);
      return scaling.outcome ?? status;
    },
  };
}

type Own = { readonly set: ReplicaSet; readonly kind: Kind };

type Scaling = { readonly outcome?: Outcome; readonly failure?: string };

async function scale({ set, kind }: Own, owned: readonly Pod[], world: World): Promise<Scaling> {
  const { missing, surplus } = planReplicas(set, owned);
  const pod = podOf({ owner: set, template: set.spec.template });
  const stated = Array.from({ length: missing }, () => pod);
  const failed = await createPods(world, { owner: set, kind, stated });
  if (failed?.kind === 'ending') return {};
  if (failed !== undefined) return { outcome: outcomeOf(failed), failure: whyOf(failed) };

  const outcome = await removePods(world, { owner: set, kind, surplus });
  return outcome.kind === 'done' ? {} : { outcome };
}

/** From what the shelf says now: our own writes included. */
async function tell(
  { set, kind }: Own,
  failure: string | undefined,
  world: World,
): Promise<Outcome> {
  const owned = [...world.shelf(pods).ownedBy(set.metadata.uid)];
  const now = world.now();
  const facts = { owned, now, ...(failure !== undefined && { failure }) };
  const written = await writeStatus(world, {
    kind,
    object: set,
    status: replicaStatus(set, facts),
  });
  if (written.kind !== 'done') return written;
  const { minReadySeconds = 0 } = set.spec;
  const seconds = secondsUntilAvailable(owned, { minReadySeconds, now });
  return seconds === undefined ? done : later(seconds);
}
