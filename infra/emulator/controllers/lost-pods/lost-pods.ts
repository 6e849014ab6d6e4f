import { done, later, type Outcome } from '#shared/domain/outcome.ts';
import { disrupted } from '../conditions.ts';
import { outcomeOf } from '../frame/api.ts';
import { type Controller, targetOf, type World, wake } from '../frame/controller.ts';
import { writeStatus } from '../frame/write-status.ts';
import { nodes, pods } from '../shapes/kinds.ts';
import { isOver, type Pod } from '../shapes/pod.ts';

/** So long a node may be missing: it may be told of late, or made anew. */
const missingMs = 40_000;

const why = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };

/** Takes away what is bound to a node that is not there. What has run on it is taken away at once, by the kubelet. */
export function lostPodController(): Controller {
  const missingSince = new Map<string, number>();
  return {
    name: 'lost-pods',
    wakes: [
      wake(pods, (pod, world) => (isOnNone(pod, world) ? [nodeNameOf(pod)] : [])),
      wake(nodes, ({ metadata }) => [metadata.name]),
    ],
    async reconcile(node, world) {
      const lost = isThere(node, world) ? [] : podsOn(node, world);
      if (lost.length === 0) {
        missingSince.delete(node);
        return done;
      }
      const now = world.now().getTime();
      const since = missingSince.get(node) ?? now;
      missingSince.set(node, since);
      const leftMs = since + missingMs - now;
      if (leftMs > 0) return later(leftMs / 1_000);
      if ((await world.api.find({ kind: nodes, name: node })) !== undefined) return done;
      const outcomes = await Promise.all(lost.map((pod) => takeAway(pod, world)));
      return outcomes.find(({ kind }) => kind !== 'done') ?? done;
    },
  };
}

function nodeNameOf({ spec }: Pod): string {
  return spec.nodeName ?? '';
}

function isThere(node: string, world: World): boolean {
  return world.shelf(nodes).find(`/${node}`) !== undefined;
}

function isOnNone(pod: Pod, world: World): boolean {
  return nodeNameOf(pod) !== '' && !isThere(nodeNameOf(pod), world);
}

function podsOn(node: string, world: World): readonly Pod[] {
  return [...world.shelf(pods).list()].filter((pod) => nodeNameOf(pod) === node);
}

async function takeAway(pod: Pod, world: World): Promise<Outcome> {
  const failed = { phase: 'Failed', conditions: disrupted(pod, why, world.now()) };
  const told = isOver(pod)
    ? done
    : await writeStatus(world, { kind: pods, object: pod, status: failed });
  if (told.kind !== 'done') return told;
  const { uid } = pod.metadata;
  return outcomeOf(await world.api.remove(targetOf(pods, pod), { uid, graceSeconds: 0 }));
}
