import { revisionLabel } from '../owning/revisions.ts';
import { isLeaving } from '../shapes/meta.ts';
import { availableAt, isOver, isReady, type Pod } from '../shapes/pod.ts';
import type { StatefulSet, StatefulSetStatus } from '../shapes/workload.ts';

/** What is done next; of an ordered set one thing at a time. */
export type StatefulPlan = {
  readonly create: readonly number[];
  readonly remove: readonly Pod[];
};

export type StatefulFacts = {
  readonly pods: readonly Pod[];
  readonly updateRevision: string;
  readonly now: Date;
};

export function ordinalOf({ metadata }: Pod): number {
  return Number(/-(\d+)$/.exec(metadata.name)?.[1] ?? -1);
}

/** Its pods have its name and a number. */
export function isNamedBy({ metadata }: StatefulSet, pod: Pod): boolean {
  return /^(.*)-\d+$/.exec(pod.metadata.name)?.[1] === metadata.name;
}

const nothing: StatefulPlan = { create: [], remove: [] };

export function planStateful(set: StatefulSet, facts: StatefulFacts): StatefulPlan {
  if (isLeaving(set)) return nothing;
  const isParallel = set.spec.podManagementPolicy === 'Parallel';
  return isParallel ? parallel(set, facts) : ordered(set, facts);
}

type Range = { readonly start: number; readonly end: number };

function rangeOf({ spec }: StatefulSet): Range {
  const start = spec.ordinals?.start ?? 0;
  return { start, end: start + (spec.replicas ?? 1) };
}

/** It is to go, and no other one takes its place. */
export function isCondemned(set: StatefulSet, pod: Pod): boolean {
  return !isWithin(pod, rangeOf(set));
}

function isWithin(pod: Pod, { start, end }: Range): boolean {
  return ordinalOf(pod) >= start && ordinalOf(pod) < end;
}

/** Up from the first to the last, each when those before it are healthy, whatever their template; then down; then the new template. */
function ordered(set: StatefulSet, facts: StatefulFacts): StatefulPlan {
  const range = rangeOf(set);
  const byOrdinal = new Map(facts.pods.map((pod) => [ordinalOf(pod), pod]));
  for (let ordinal = range.start; ordinal < range.end; ordinal += 1) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) return { ...nothing, create: [ordinal] };
    if (isOver(pod) && !isLeaving(pod)) return { ...nothing, remove: [pod] };
    // Also for one that only a newer template would mend.
    if (!isHealthy(pod, set, facts)) return nothing;
  }
  const condemned = facts.pods.filter((pod) => !isWithin(pod, range)).toSorted(lastFirst);
  return condemned.length > 0 ? nextCondemned(condemned, set, facts) : update(set, facts);
}

/** Of those that are too many the last one; it waits for a broken one before it, which nobody else does. */
function nextCondemned(condemned: readonly Pod[], set: StatefulSet, facts: StatefulFacts) {
  const broken = condemned.filter((pod) => !isHealthy(pod, set, facts));
  const [last] = condemned;
  const isHeld = condemned.some(isLeaving) || (broken.at(-1) !== last && broken[0] === last);
  return last === undefined || isHeld ? nothing : { ...nothing, remove: [last] };
}

function parallel(set: StatefulSet, facts: StatefulFacts): StatefulPlan {
  const range = rangeOf(set);
  const known = new Set(facts.pods.map(ordinalOf));
  const count = Math.max(0, range.end - range.start);
  const create = Array.from({ length: count }, (_, at) => range.start + at).filter(
    (ordinal) => !known.has(ordinal),
  );
  const remove = facts.pods.filter(
    (pod) => !isLeaving(pod) && (!isWithin(pod, range) || isOver(pod)),
  );
  return create.length + remove.length > 0 ? { create, remove } : update(set, facts);
}

/** From the last to the first, one after the other, down to the partition. */
function update(set: StatefulSet, facts: StatefulFacts): StatefulPlan {
  for (const pod of facts.pods.toSorted(lastFirst)) {
    if (isOutdated(pod, set, facts) && !isLeaving(pod)) return { ...nothing, remove: [pod] };
    if (!isHealthy(pod, set, facts)) return nothing;
  }
  return nothing;
}

function isOutdated(pod: Pod, set: StatefulSet, { updateRevision }: StatefulFacts): boolean {
  if (set.spec.updateStrategy?.type === 'OnDelete') return false;
  return ordinalOf(pod) >= firstUpdated(set) && revisionOf(pod) !== updateRevision;
}

/** The first ordinal that gets the new template. */
export function firstUpdated(set: StatefulSet): number {
  const { partition = 0 } = set.spec.updateStrategy?.rollingUpdate ?? {};
  return rangeOf(set).start + partition;
}

function revisionOf({ metadata }: Pod): string | undefined {
  return metadata.labels?.[revisionLabel];
}

function lastFirst(a: Pod, b: Pod): number {
  return ordinalOf(b) - ordinalOf(a);
}

function isHealthy(pod: Pod, set: StatefulSet, facts: StatefulFacts): boolean {
  return !isLeaving(pod) && isAvailable(pod, set, facts);
}

function isAvailable(pod: Pod, { spec }: StatefulSet, { now }: StatefulFacts): boolean {
  const since = availableAt(pod, spec.minReadySeconds ?? 0) ?? Number.POSITIVE_INFINITY;
  return since <= now.getTime();
}

export function statefulStatus(set: StatefulSet, facts: StatefulFacts): StatefulSetStatus {
  const { pods, updateRevision } = facts;
  const ready = pods.filter((pod) => pod.status?.phase === 'Running' && isReady(pod));
  const updated = countOf(pods, updateRevision);
  const want = set.spec.replicas ?? 1;
  const isUpdated = [updated, ready.length, pods.length].every((count) => count === want);
  // Nobody knows when those are through that somebody else removes.
  const isThrough = isUpdated && set.spec.updateStrategy?.type !== 'OnDelete';
  const known = set.status?.currentRevision ?? updateRevision;
  const currentRevision = isThrough ? updateRevision : known;
  return {
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, set, facts)).length,
    currentReplicas: countOf(pods, currentRevision),
    updatedReplicas: updated,
    currentRevision,
    updateRevision,
    collisionCount: set.status?.collisionCount ?? 0,
    observedGeneration: set.metadata.generation ?? 0,
  };
}

function countOf(pods: readonly Pod[], revision: string): number {
  return pods.filter((pod) => revisionOf(pod) === revision && !isLeaving(pod)).length;
}
