import { done, later, type Outcome } from '#shared/domain/outcome.ts';
import { disrupted } from '../conditions.ts';
import { outcomeOf } from '../frame/api.ts';
import { type Controller, targetOf, type World, wake } from '../frame/controller.ts';
import { writeStatus } from '../frame/write-status.ts';
import { nodes, pods } from '../shapes/kinds.ts';
import { isLeaving, placeOf } from '../shapes/meta.ts';
import { isOver, type Pod } from '../shapes/pod.ts';
import type { Node } from '../shapes/surroundings.ts';
import { staysMs } from './plan-eviction.ts';

const why = {
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
};

/** Drives pods from nodes with a taint that lets nothing run there that does not stand it. */
export const taintEvictionController: Controller = {
  name: 'taint-evictions',
  wakes: [
    wake(pods, (pod, world) => (isDriven(nodeOf(pod, world)) ? [placeOf(pod)] : [])),
    wake(nodes, (node, world) => (isDriven(node) ? podsOn(node, world) : [])),
  ],
  async reconcile(place, world) {
    const pod = world.shelf(pods).find(place);
    const node = pod && nodeOf(pod, world);
    if (pod === undefined || node === undefined || isLeaving(pod) || isOver(pod)) return done;
    const leftMs = staysMs(pod, node, world.now().getTime());
    if (leftMs === Number.POSITIVE_INFINITY) return done;
    if (leftMs > 0) return later(leftMs / 1_000);
    return drive(pod, world);
  },
};

async function drive(pod: Pod, world: World): Promise<Outcome> {
  const conditions = disrupted(pod, why, world.now());
  const marked = await writeStatus(world, { kind: pods, object: pod, status: { conditions } });
  if (marked.kind !== 'done') return marked;
  const note = `Marking for deletion Pod ${placeOf(pod)}`;
  const by = 'taint-eviction-controller';
  world.report(pod, pods, { type: 'Normal', reason: 'TaintManagerEviction', note, by });
  return outcomeOf(await world.api.remove(targetOf(pods, pod), { uid: pod.metadata.uid }));
}

function nodeOf({ spec }: Pod, world: World): Node | undefined {
  return spec.nodeName === undefined ? undefined : world.shelf(nodes).find(`/${spec.nodeName}`);
}

function isDriven(node: Node | undefined): boolean {
  return node?.spec?.taints?.some(({ effect }) => effect === 'NoExecute') ?? false;
}

function podsOn({ metadata }: Node, world: World): readonly string[] {
  const all = [...world.shelf(pods).list()];
  return all.filter(({ spec }) => spec.nodeName === metadata.name).map(placeOf);
}
