import { done, later, type Outcome } from '#shared/domain/outcome.ts';
import { outcomeOf } from '../frame/api.ts';
import { type Controller, type World, wake } from '../frame/controller.ts';
import { writeStatus } from '../frame/write-status.ts';
import { adopterPlaces, claimed, controllerPlaces } from '../owning/claimed.ts';
import { createPods } from '../owning/create-pods.ts';
import { podOf } from '../owning/pod-of.ts';
import { removePods } from '../owning/remove-pods.ts';
import {
  forgetRevisions,
  revisionFor,
  revisionLabel,
  revisionsOf,
  stateRevision,
} from '../owning/revisions.ts';
import { secondsUntilAvailable } from '../replica-sets/plan-replicas.ts';
import { controllerRevisions, pods, statefulSets, volumeClaims } from '../shapes/kinds.ts';
import { placeOf } from '../shapes/meta.ts';
import type { Pod, PodSpec, PodTemplate } from '../shapes/pod.ts';
import type { StatefulSet } from '../shapes/workload.ts';
import { createClaims } from './claims.ts';
import {
  firstUpdated,
  isNamedBy,
  ordinalOf,
  planStateful,
  type StatefulFacts,
  statefulStatus,
} from './plan-stateful.ts';
import { ownClaims } from './retention.ts';

export const statefulSetController: Controller = {
  name: 'stateful-sets',
  wakes: [
    wake(statefulSets, (set) => [placeOf(set)]),
    wake(pods, controllerPlaces('StatefulSet')),
    wake(
      pods,
      adopterPlaces(statefulSets, ({ spec }) => spec.selector),
    ),
  ],
  reads: [controllerRevisions, volumeClaims],
  async reconcile(place, world) {
    const set = world.shelf(statefulSets).find(place);
    if (set === undefined) return done;
    const stated = await stateRevision(set, world);
    if (stated.kind !== 'done') return stated;

    const { selector } = set.spec;
    const isMember = (pod: Pod) => isNamedBy(set, pod);
    const owned = await claimed(world, { owner: set, selector, of: pods, isMember });
    const facts = factsOf(set, owned, world);
    const kept = await ownClaims(set, owned, world);
    if (kept.kind !== 'done') return kept;
    const moved = await carryOut(set, facts, world);
    const said = await tell(set, world);
    return moved.kind === 'done' ? said : moved;
  },
};

function factsOf(set: StatefulSet, owned: readonly Pod[], world: World): StatefulFacts {
  const revision = revisionFor(set, revisionsOf(set, world));
  return { pods: owned, updateRevision: revision?.metadata.name ?? '', now: world.now() };
}

async function carryOut(set: StatefulSet, facts: StatefulFacts, world: World): Promise<Outcome> {
  const { create, remove } = planStateful(set, facts);
  // What waits may wait for a claim that somebody has removed.
  const waiting = facts.pods.filter(({ status }) => status?.phase === 'Pending').map(ordinalOf);
  const unclaimed = await createClaims(world, set, [...create, ...waiting]);
  if (unclaimed !== undefined) return outcomeOf(unclaimed);
  const stated = create.map((ordinal) => statefulPod(set, { ordinal, facts, world }));
  const failed = await createPods(world, { owner: set, kind: statefulSets, stated });
  if (failed !== undefined) return outcomeOf(failed);
  return removePods(world, { owner: set, kind: statefulSets, surplus: remove });
}

type Making = {
  readonly ordinal: number;
  readonly facts: StatefulFacts;
  readonly world: World;
};

/** Below the partition a pod is made of the template that the others there still have. */
function statefulPod(set: StatefulSet, { ordinal, facts, world }: Making) {
  const name = `${set.metadata.name}-${ordinal}`;
  const isOld = ordinal < firstUpdated(set);
  const wanted = isOld ? (set.status?.currentRevision ?? '') : facts.updateRevision;
  const known = revisionsOf(set, world).find(({ metadata }) => metadata.name === wanted);
  return podOf({
    owner: set,
    template: known?.data.spec.template ?? set.spec.template,
    name,
    labels: {
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': String(ordinal),
      [revisionLabel]: known?.metadata.name ?? facts.updateRevision,
    },
    spec: (spec) => identified(spec, set, name),
  });
}

/** Its name, and its claims, which nobody binds: the emulated nodes have no disks. */
function identified(spec: PodSpec, set: StatefulSet, name: string): PodTemplate['spec'] {
  const claims = set.spec.volumeClaimTemplates ?? [];
  const names = new Set(claims.map(({ metadata }) => metadata.name));
  const volumes = [
    ...(spec.volumes ?? []).filter((each) => !names.has(each.name)),
    ...[...names].map((claim) => ({
      name: claim,
      persistentVolumeClaim: { claimName: `${claim}-${name}` },
    })),
  ];
  const { serviceName = '' } = set.spec;
  return {
    ...spec,
    hostname: name,
    ...(serviceName !== '' && { subdomain: serviceName }),
    ...(volumes.length > 0 && { volumes }),
  };
}

async function tell(set: StatefulSet, world: World): Promise<Outcome> {
  const owned = [...world.shelf(pods).ownedBy(set.metadata.uid)];
  const facts = factsOf(set, owned, world);
  const status = statefulStatus(set, facts);
  const written = await writeStatus(world, { kind: statefulSets, object: set, status });
  if (written.kind !== 'done') return written;

  const labels = owned.map(({ metadata }) => metadata.labels?.[revisionLabel] ?? '');
  const used = new Set([...labels, status.currentRevision ?? '', status.updateRevision ?? '']);
  const forgotten = await forgetRevisions(set, used, world);
  if (forgotten.kind !== 'done') return forgotten;
  const { minReadySeconds = 0 } = set.spec;
  const seconds = secondsUntilAvailable(owned, { minReadySeconds, now: facts.now });
  return seconds === undefined ? done : later(seconds);
}
