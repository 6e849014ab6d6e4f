import type { OwnerReference, Thing } from '../shapes/meta.ts';

export const foreground = 'foregroundDeletion';
export const orphan = 'orphan';

/** What is true of one owner that a reference names. */
export type OwnerState =
  | 'there'
  /** Nobody has this uid any more. */
  | 'gone'
  /** It is being deleted in the foreground, and waits for this very dependent. */
  | 'waiting';

export type GarbagePlan =
  | { readonly kind: 'keep' }
  /** Some owners are there: the object lives on with them. */
  | { readonly kind: 'disown'; readonly references: readonly OwnerReference[] }
  | { readonly kind: 'delete'; readonly propagation: 'Background' | 'Foreground' | 'Orphan' };

type Facts = {
  readonly states: ReadonlyMap<string, OwnerState>;
  readonly hasBlockingDependents: boolean;
};

const keep: GarbagePlan = { kind: 'keep' };

/** Of an object with owners, which lives as long as one of them does. */
export function planGarbage({ metadata }: Thing, facts: Facts): GarbagePlan {
  const { ownerReferences = [], finalizers = [], deletionTimestamp } = metadata;
  if (ownerReferences.length === 0 || deletionTimestamp !== undefined) return keep;
  const stateOf = ({ uid }: OwnerReference) => facts.states.get(uid) ?? 'there';
  const there = ownerReferences.filter((each) => stateOf(each) === 'there');
  if (there.length === ownerReferences.length) return keep;
  if (there.length > 0) return { kind: 'disown', references: there };

  const isWaitedFor = ownerReferences.some((each) => stateOf(each) === 'waiting');
  if (isWaitedFor && facts.hasBlockingDependents) {
    return { kind: 'delete', propagation: 'Foreground' };
  }
  if (finalizers.includes(orphan)) return { kind: 'delete', propagation: 'Orphan' };
  const isForeground = finalizers.includes(foreground);
  return { kind: 'delete', propagation: isForeground ? 'Foreground' : 'Background' };
}

export function isForegroundDeletion({ metadata }: Thing): boolean {
  return has(metadata, foreground) && metadata.deletionTimestamp !== undefined;
}

export function isOrphaning({ metadata }: Thing): boolean {
  return has(metadata, orphan) && metadata.deletionTimestamp !== undefined;
}

export function isBlocking({ metadata }: Thing, owner: string): boolean {
  const references = metadata.ownerReferences ?? [];
  return references.some(({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion);
}

function has({ finalizers = [] }: Thing['metadata'], finalizer: string): boolean {
  return finalizers.includes(finalizer);
}
