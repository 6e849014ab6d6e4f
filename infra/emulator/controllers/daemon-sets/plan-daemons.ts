import { resolved } from '../bounds.ts';
import { revisionLabel } from '../owning/revisions.ts';
import { isWanted } from '../scheduler/node-terms.ts';
import { untolerated } from '../scheduler/taints.ts';
import { isLeaving } from '../shapes/meta.ts';
import { availableAt, isOver, isReady, type Pod } from '../shapes/pod.ts';
import type { Node } from '../shapes/surroundings.ts';
import type { DaemonSet, DaemonSetStatus } from '../shapes/workload.ts';
import { daemonTolerations, nodeOf } from './daemon-pod.ts';

export type DaemonFacts = {
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
  readonly revision: string;
  readonly now: Date;
};

export type DaemonPlan = {
  /** Nodes without a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
};

export function planDaemons(set: DaemonSet, facts: DaemonFacts): DaemonPlan {
  if (isLeaving(set)) return { create: [], remove: [] };
  const byNode = Map.groupBy(facts.pods, ({ spec }) => nodeOf(spec) ?? '');
  const known = new Map(facts.nodes.map((node) => [node.metadata.name, node]));
  const create = facts.nodes
    .filter((node) => mayBegin(set, node) && !byNode.has(node.metadata.name))
    .map(({ metadata }) => metadata.name);
  const unwanted = [...byNode].flatMap(([name, pods]) => {
    const node = known.get(name);
    if (node === undefined || !mayStay(set, node)) return pods;
    const [, ...doubles] = pods.filter((pod) => !isLeaving(pod) && !isOver(pod)).toSorted(oldest);
    return [...pods.filter(isOver), ...doubles];
  });
  const remove = unwanted.filter((pod) => !isLeaving(pod));
  return { create, remove: remove.length > 0 ? remove : outdated(set, facts) };
}

function oldest({ metadata: a }: Pod, { metadata: b }: Pod): number {
  const ages = Date.parse(a.creationTimestamp) - Date.parse(b.creationTimestamp);
  return ages || (a.name < b.name ? -1 : 1);
}

function mayBegin(set: DaemonSet, node: Node): boolean {
  return fits(set, node, ['NoSchedule', 'NoExecute']);
}

/** One that runs is not driven away by a taint that only keeps out. */
function mayStay(set: DaemonSet, node: Node): boolean {
  return fits(set, node, ['NoExecute']);
}

function fits({ spec }: DaemonSet, node: Node, effects: readonly string[]): boolean {
  const { template } = spec;
  const { name } = node.metadata;
  if (template.spec.nodeName !== undefined && template.spec.nodeName !== name) return false;
  if (!isWanted(template.spec, node)) return false;
  return untolerated(node.spec?.taints, daemonTolerations(template), effects) === undefined;
}

/** As many at a time as may be missing; those that are no use go first, and freely. */
function outdated(set: DaemonSet, facts: DaemonFacts): readonly Pod[] {
  const { type, rollingUpdate = {} } = set.spec.updateStrategy ?? {};
  if (type === 'OnDelete') return [];
  const old = facts.pods.filter((pod) => !isLeaving(pod) && !isCurrent(pod, facts));
  const isUseful = (pod: Pod) => isAvailable(pod, set, facts);
  const desired = facts.nodes.filter((node) => mayBegin(set, node)).length;
  const missing = desired - facts.pods.filter((pod) => !isLeaving(pod) && isUseful(pod)).length;
  const room = Math.max(0, unavailableOf(rollingUpdate, desired) - missing);
  return [...old.filter((pod) => !isUseful(pod)), ...old.filter(isUseful).slice(0, room)];
}

/** A surge is not emulated: as many are replaced at a time, one after the other on each node. */
function unavailableOf(
  {
    maxSurge = 0,
    maxUnavailable = 1,
  }: NonNullable<NonNullable<DaemonSet['spec']['updateStrategy']>['rollingUpdate']>,
  desired: number,
): number {
  const surge = resolved(maxSurge, desired, Math.ceil);
  return Math.max(1, surge, resolved(maxUnavailable, desired, Math.ceil));
}

function isCurrent({ metadata }: Pod, { revision }: DaemonFacts): boolean {
  return metadata.labels?.[revisionLabel] === revision;
}

function isAvailable(pod: Pod, { spec }: DaemonSet, { now }: DaemonFacts): boolean {
  const since = availableAt(pod, spec.minReadySeconds ?? 0) ?? Number.POSITIVE_INFINITY;
  return since <= now.getTime();
}

export function daemonStatus(set: DaemonSet, facts: DaemonFacts): DaemonSetStatus {
  const byNode = Map.groupBy(facts.pods, ({ spec }) => nodeOf(spec) ?? '');
  const wanted = facts.nodes.filter((node) => mayBegin(set, node));
  const placed = wanted.flatMap(({ metadata }) => byNode.get(metadata.name)?.[0] ?? []);
  const others = facts.nodes.filter(
    (node) => !mayBegin(set, node) && byNode.has(node.metadata.name),
  );
  const available = placed.filter((pod) => isAvailable(pod, set, facts)).length;
  return {
    desiredNumberScheduled: wanted.length,
    currentNumberScheduled: placed.length,
    numberMisscheduled: others.length,
    numberReady: placed.filter(isReady).length,
    updatedNumberScheduled: placed.filter((pod) => isCurrent(pod, facts)).length,
    numberAvailable: available,
    numberUnavailable: wanted.length - available,
    observedGeneration: set.metadata.generation ?? 0,
  };
}
