import type { Pod } from '../shapes/pod.ts';
import type { Node } from '../shapes/surroundings.ts';
import { capacityOf, type Demand, demandOf, nothing } from './demand.ts';
import { isWanted, preference } from './node-terms.ts';
import { untolerated } from './taints.ts';

export type Choice =
  | { readonly kind: 'node'; readonly name: string }
  /** For the pod's condition, in the scheduler's words. */
  | { readonly kind: 'none'; readonly why: string };

export type Used = ReadonlyMap<string, Demand>;

/** Of the nodes that can take the pod the one that suits it best; among equals the emptiest, then the first by name. */
export function chooseNode(pod: Pod, nodes: readonly Node[], used: Used): Choice {
  const refusals: string[] = [];
  const fitting = nodes.filter((node) => {
    const why = flawOf(pod, node, used);
    if (why !== undefined) refusals.push(why);
    return why === undefined;
  });
  const best = fitting.map((node) => ({ node, score: scoreOf(pod, node, used) })).toSorted(better);
  const [first] = best;
  if (first !== undefined) return { kind: 'node', name: first.node.metadata.name };
  return { kind: 'none', why: explained(nodes.length, refusals) };
}

function flawOf({ spec }: Pod, node: Node, used: Used): string | undefined {
  const isCordoned = node.spec?.unschedulable === true;
  const cordon = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  if (isCordoned && untolerated([cordon], spec.tolerations, ['NoSchedule']) !== undefined) {
    return 'node(s) were unschedulable';
  }
  const taint = untolerated(node.spec?.taints, spec.tolerations, ['NoSchedule', 'NoExecute']);
  if (taint !== undefined) return `node(s) had untolerated taint {${taintText(taint)}}`;
  if (!isWanted(spec, node)) return "node(s) didn't match Pod's node affinity/selector";
  return shortage(demandOf(spec), node, used.get(node.metadata.name) ?? nothing);
}

function taintText({ key, value }: { readonly key: string; readonly value?: string }): string {
  return `${key}: ${value ?? ''}`;
}

function shortage(demand: Demand, { status }: Node, used: Demand): string | undefined {
  const capacity = capacityOf(status?.allocatable);
  if (used.pods + demand.pods > capacity.pods) return 'Too many pods';
  if (demand.cpu > 0 && used.cpu + demand.cpu > capacity.cpu) return 'Insufficient cpu';
  const needsMemory = demand.memory > 0;
  return needsMemory && used.memory + demand.memory > capacity.memory
    ? 'Insufficient memory'
    : undefined;
}

type Score = { readonly preference: number; readonly avoided: number; readonly pods: number };
type Scored = { readonly node: Node; readonly score: Score };

function scoreOf({ spec }: Pod, node: Node, used: Used): Score {
  const soft = (node.spec?.taints ?? []).filter(
    (taint) => untolerated([taint], spec.tolerations, ['PreferNoSchedule']) !== undefined,
  );
  const { pods } = used.get(node.metadata.name) ?? nothing;
  return { preference: preference(spec, node), avoided: soft.length, pods };
}

function better(a: Scored, b: Scored): number {
  return (
    a.score.avoided - b.score.avoided ||
    b.score.preference - a.score.preference ||
    a.score.pods - b.score.pods ||
    (a.node.metadata.name < b.node.metadata.name ? -1 : 1)
  );
}

/** `0/3 nodes are available: 1 Too many pods, 2 node(s) didn't match Pod's node affinity/selector.` */
function explained(count: number, refusals: readonly string[]): string {
  if (count === 0) return 'no nodes available to schedule pods';
  const byReason = Map.groupBy(refusals, (why) => why);
  const parts = [...byReason].map(([why, all]) => `${all.length} ${why}`).toSorted();
  return `0/${count} nodes are available: ${parts.join(', ')}.`;
}
