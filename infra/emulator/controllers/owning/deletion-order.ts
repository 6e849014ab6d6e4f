import { isReady, type Pod } from '../shapes/pod.ts';

const costAnnotation = 'controller.kubernetes.io/pod-deletion-cost';
const phases: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** Who is missed least goes first: not placed, not running, not ready, cheap, one of many on its node, young. */
export function deletionOrder(pods: readonly Pod[]): readonly Pod[] {
  const onNode = Map.groupBy(pods, ({ spec }) => spec.nodeName ?? '');
  const ranked = pods.map((pod) => ({ pod, rank: rankOf(pod, onNode) }));
  return ranked.toSorted((a, b) => compare(a.rank, b.rank)).map(({ pod }) => pod);
}

function rankOf(pod: Pod, onNode: ReadonlyMap<string, readonly Pod[]>): readonly number[] {
  const { spec, status, metadata } = pod;
  return [
    spec.nodeName === undefined ? 0 : 1,
    phases[status?.phase ?? 'Pending'] ?? 0,
    isReady(pod) ? 1 : 0,
    Number(metadata.annotations?.[costAnnotation] ?? 0),
    -(onNode.get(spec.nodeName ?? '')?.length ?? 0),
    -(status?.containerStatuses?.[0]?.restartCount ?? 0),
    -Date.parse(metadata.creationTimestamp),
  ];
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((rank, index) => rank !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
