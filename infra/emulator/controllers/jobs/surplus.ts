import { deletionOrder } from '../owning/deletion-order.ts';
import type { Job } from '../shapes/batch.ts';
import type { Pod } from '../shapes/pod.ts';
import { indexOf } from './indexes.ts';

/** Pods whose part of the work is another's or nobody's, and of the others those that are too many. */
export function surplusPods({ spec }: Job, active: readonly Pod[], wanted: number): readonly Pod[] {
  const { completions = 1 } = spec;
  const idle = spec.completionMode === 'Indexed' ? idlePods(active, completions) : [];
  const left = active.filter((pod) => !idle.includes(pod));
  return [...idle, ...deletionOrder(left).slice(0, Math.max(0, left.length - wanted))];
}

function idlePods(active: readonly Pod[], completions: number): readonly Pod[] {
  return [...Map.groupBy(active, indexOf)].flatMap(([index, pods]) => {
    const isPart = index >= 0 && index < completions;
    return isPart ? deletionOrder(pods).slice(0, -1) : pods;
  });
}
