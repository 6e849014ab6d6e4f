import { placeOf } from '../shapes/meta.ts';
import { isOver, type Pod } from '../shapes/pod.ts';
import type { Used } from './choose-node.ts';
import { type Demand, demandOf, less, nothing, sum } from './demand.ts';

export type Usage = {
  readonly used: Used;
  /** A pod is, or is no longer, where it was. */
  changed(before: Pod | undefined, after: Pod | undefined): void;
  /** Decided, and not yet heard of. */
  assume(pod: Pod, node: string): void;
  forget(pod: Pod): void;
  isAssumed(pod: Pod): boolean;
};

/** What is taken of each node, kept as pods come and go: nobody sums up a cluster for one pod. */
export function openUsage(): Usage {
  const used = new Map<string, Demand>();
  const assumed = new Map<string, { readonly node: string; readonly uid: string }>();
  const add = (node: string, demand: Demand) =>
    used.set(node, sum(used.get(node) ?? nothing, demand));
  const take = (node: string, demand: Demand) =>
    used.set(node, less(used.get(node) ?? nothing, demand));
  const forget = (pod: Pod) => {
    const known = assumed.get(placeOf(pod));
    if (known?.uid !== pod.metadata.uid) return;
    assumed.delete(placeOf(pod));
    take(known.node, demandOf(pod.spec));
  };
  return {
    used,
    forget,
    isAssumed: (pod) => assumed.get(placeOf(pod))?.uid === pod.metadata.uid,
    changed(before, after) {
      if (before !== undefined && counts(before)) take(before.spec.nodeName, demandOf(before.spec));
      if (after !== undefined && counts(after)) add(after.spec.nodeName, demandOf(after.spec));
      if (before !== undefined && (after === undefined || counts(after))) forget(before);
    },
    assume(pod, node) {
      assumed.set(placeOf(pod), { node, uid: pod.metadata.uid });
      add(node, demandOf(pod.spec));
    },
  };
}

function counts(pod: Pod): pod is Pod & { readonly spec: { readonly nodeName: string } } {
  return pod.spec.nodeName !== undefined && !isOver(pod);
}
