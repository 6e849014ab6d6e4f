import { tolerates, untolerated } from '../scheduler/taints.ts';
import type { Pod } from '../shapes/pod.ts';
import type { Node, Taint } from '../shapes/surroundings.ts';

/** How long the pod may stay on its node: for ever, where there is no taint that drives it away. */
export function staysMs(pod: Pod, node: Node, now: number): number {
  const driving = (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
  if (untolerated(driving, pod.spec.tolerations, ['NoExecute']) !== undefined) return 0;
  const ends = driving.map((taint) => endOf(pod, taint, now));
  return Math.max(0, Math.min(Number.POSITIVE_INFINITY, ...ends) - now);
}

/** Where the taint does not say since when, the time begins now. */
function endOf({ spec }: Pod, taint: Taint, now: number): number {
  const seconds = (spec.tolerations ?? [])
    .filter((toleration) => tolerates(toleration, taint))
    .map(({ tolerationSeconds }) => tolerationSeconds ?? Number.POSITIVE_INFINITY);
  const since = taint.timeAdded === undefined ? now : Date.parse(taint.timeAdded);
  return since + Math.min(...seconds) * 1_000;
}
