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
import { byOf } from '../owning/told.ts';
import { secondsUntilAvailable } from '../replica-sets/plan-replicas.ts';
import { controllerRevisions, daemonSets, nodes, pods } from '../shapes/kinds.ts';
import { isLeaving, placeOf } from '../shapes/meta.ts';
import { isOver, type Pod } from '../shapes/pod.ts';
import type { DaemonSet } from '../shapes/workload.ts';
import { forNode, nodeOf } from './daemon-pod.ts';
import { type DaemonFacts, daemonStatus, planDaemons } from './plan-daemons.ts';

const generationLabel = 'pod-template-generation';
/** The server counts the templates that there were. */
const generationKey = 'deprecated.daemonset.template.generation';

export const daemonSetController: Controller = {
  name: 'daemon-sets',
  wakes: [
    wake(daemonSets, (set) => [placeOf(set)]),
    wake(pods, controllerPlaces('DaemonSet')),
    wake(
      pods,
      adopterPlaces(daemonSets, ({ spec }) => spec.selector),
    ),
    wake(nodes, (_, world) => [...world.shelf(daemonSets).list()].map(placeOf)),
  ],
  reads: [controllerRevisions],
  async reconcile(place, world) {
    const set = world.shelf(daemonSets).find(place);
    if (set === undefined || isLeaving(set)) return done;
    const stated = await stateRevision(set, world);
    if (stated.kind !== 'done') return stated;

    const { selector } = set.spec;
    const owned = await claimed(world, { owner: set, selector, of: pods });
    const moved = await carryOut(set, factsOf(set, owned, world), world);
    const said = await tell(set, world);
    return moved.kind === 'done' ? said : moved;
  },
};

function factsOf(set: DaemonSet, owned: readonly Pod[], world: World): DaemonFacts {
  const name = revisionFor(set, revisionsOf(set, world))?.metadata.name ?? '';
  return {
    // What was taken up may be meant for no node: it is left as it is.
    pods: owned.filter(({ spec }) => nodeOf(spec) !== undefined),
    nodes: [...world.shelf(nodes).list()],
    // Pods carry the hash alone.
    revision: name.slice(set.metadata.name.length + 1),
    now: world.now(),
  };
}

async function carryOut(set: DaemonSet, facts: DaemonFacts, world: World): Promise<Outcome> {
  const { create, remove } = planDaemons(set, facts);
  const { template } = set.spec;
  const stated = create.map((node) =>
    podOf({
      owner: set,
      template,
      labels: {
        [revisionLabel]: facts.revision,
        [generationLabel]: set.metadata.annotations?.[generationKey] ?? '1',
      },
      spec: (spec) => forNode(spec, node, template),
    }),
  );
  const failed = await createPods(world, { owner: set, kind: daemonSets, stated });
  if (failed !== undefined) return outcomeOf(failed);
  for (const pod of remove.filter(isOver)) tellEnded(set, pod, world);
  return removePods(world, { owner: set, kind: daemonSets, surplus: remove });
}

/** A daemon is not meant to end. */
function tellEnded(set: DaemonSet, { metadata, spec, status }: Pod, world: World): void {
  const { phase = '' } = status ?? {};
  const isFailed = phase === 'Failed';
  const place = `${metadata.namespace ?? ''}/${metadata.name} on node ${nodeOf(spec) ?? ''}`;
  const note = `Found ${phase.toLowerCase()} daemon pod ${place}, will try to ${isFailed ? 'kill' : 'delete'} it`;
  const report = { reason: `${phase}DaemonPod`, note, by: byOf(daemonSets) };
  world.report(set, daemonSets, { type: isFailed ? 'Warning' : 'Normal', ...report });
}

async function tell(set: DaemonSet, world: World): Promise<Outcome> {
  const owned = [...world.shelf(pods).ownedBy(set.metadata.uid)];
  const facts = factsOf(set, owned, world);
  const status = daemonStatus(set, facts);
  const written = await writeStatus(world, { kind: daemonSets, object: set, status });
  if (written.kind !== 'done') return written;

  const hashes = owned.map(({ metadata }) => metadata.labels?.[revisionLabel] ?? '');
  const used = new Set([...hashes, facts.revision].map((hash) => `${set.metadata.name}-${hash}`));
  const forgotten = await forgetRevisions(set, used, world);
  if (forgotten.kind !== 'done') return forgotten;
  const { minReadySeconds = 0 } = set.spec;
  const seconds = secondsUntilAvailable(owned, { minReadySeconds, now: facts.now });
  return seconds === undefined ? done : later(seconds);
}
