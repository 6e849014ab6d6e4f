import { done, type Outcome } from '#shared/domain/outcome.ts';
import { timeText, withCondition } from '../conditions.ts';
import { outcomeOf } from '../frame/api.ts';
import { type Controller, targetOf, type World, wake } from '../frame/controller.ts';
import type { Change } from '../frame/shelf.ts';
import { writeStatus } from '../frame/write-status.ts';
import { nodes, pods, volumeClaims } from '../shapes/kinds.ts';
import { isLeaving, placeOf, type Thing } from '../shapes/meta.ts';
import { isOver, type Pod } from '../shapes/pod.ts';
import { type Choice, chooseNode } from './choose-node.ts';
import { claimFlaw } from './claim-flaw.ts';
import { openUsage, type Usage } from './usage.ts';

const ours = 'default-scheduler';

/** Gives each pod without a node one. Those that fit nowhere are looked at again when a node or a claim changes or a pod leaves. */
export function scheduler(): Controller {
  const usage = openUsage();
  const unplaced = new Set<string>();
  return {
    name: 'scheduler',
    workers: 32,
    wakes: [wake(pods, (pod) => (isWaiting(pod) ? [placeOf(pod)] : []))],
    reads: [nodes, volumeClaims],
    begin(world, wakeUp) {
      const wakeAll = () => {
        for (const place of unplaced) wakeUp(place);
      };
      const changed = ({ before, after }: Change<Pod>) => {
        usage.changed(before, after);
        if (before !== undefined && after === undefined) unplaced.delete(placeOf(before));
        if (after === undefined || isOver(after)) wakeAll();
      };
      for (const pod of world.shelf(pods).list()) usage.changed(undefined, pod);
      world.shelf(pods).onChange(changed);
      for (const kind of [nodes, volumeClaims]) world.shelf<Thing>(kind).onChange(wakeAll);
    },
    reconcile: (place, world) => placed(place, { world, usage, unplaced }),
  };
}

type Desk = { readonly world: World; readonly usage: Usage; readonly unplaced: Set<string> };

function isWaiting(pod: Pod): boolean {
  const { nodeName, schedulerName = ours, schedulingGates = [] } = pod.spec;
  const isFree = nodeName === undefined && schedulingGates.length === 0;
  return isFree && schedulerName === ours && !isLeaving(pod) && !isOver(pod);
}

async function placed(place: string, { world, usage, unplaced }: Desk): Promise<Outcome> {
  const pod = world.shelf(pods).find(place);
  unplaced.delete(place);
  if (pod === undefined || !isWaiting(pod) || usage.isAssumed(pod)) return done;

  const choice = choiceFor(pod, usage, world);
  if (choice.kind === 'none') {
    unplaced.add(place);
    return refuse(pod, choice.why, world);
  }
  // At once, before anything is awaited: the next pod is decided upon with this one in its place.
  usage.assume(pod, choice.name);
  const bound = await bind(pod, choice.name, world).catch((cause: unknown) => {
    usage.forget(pod);
    throw cause;
  });
  if (bound.kind !== 'done') usage.forget(pod);
  return bound;
}

function choiceFor(pod: Pod, { used }: Usage, world: World): Choice {
  const all = [...world.shelf(nodes).list()];
  const flaw = claimFlaw(pod, world);
  return flaw === undefined
    ? chooseNode(pod, all, used)
    : { kind: 'none', why: `0/${all.length} nodes are available: ${flaw}.` };
}

async function bind(pod: Pod, node: string, world: World): Promise<Outcome> {
  const { name, namespace = '', uid } = pod.metadata;
  const bound = await world.api.act(targetOf(pods, pod, 'binding'), {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  });
  if (bound.kind === 'written') {
    const note = `Successfully assigned ${namespace}/${name} to ${node}`;
    world.report(pod, pods, { type: 'Normal', reason: 'Scheduled', note, by: ours });
  }
  return outcomeOf(bound);
}

async function refuse(pod: Pod, why: string, world: World): Promise<Outcome> {
  const type = 'PodScheduled';
  const known = pod.status?.conditions?.find((each) => each.type === type);
  if (known?.message === why) return done;
  world.report(pod, pods, { type: 'Warning', reason: 'FailedScheduling', note: why, by: ours });
  const next = { type, status: 'False', reason: 'Unschedulable', message: why } as const;
  const now = timeText(world.now());
  const conditions = withCondition(pod.status?.conditions, next, now);
  return writeStatus(world, { kind: pods, object: pod, status: { conditions } });
}
