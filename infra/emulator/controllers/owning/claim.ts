import { matchesLabels } from '#shared/domain/selector.ts';
import {
  controllerOf,
  isControlledBy,
  isLeaving,
  type OwnerReference,
  type Selector,
  type Thing,
} from '../shapes/meta.ts';

export type Claim<T> = {
  readonly owned: readonly T[];
  /** Match, and belong to nobody. */
  readonly adopted: readonly T[];
  /** Belonged, and match no longer. */
  readonly released: readonly T[];
};

type Claiming<T> = {
  readonly owner: Thing;
  readonly selector: Selector;
  readonly candidates: Iterable<T>;
  /** What else than the selector makes it one of the owner's. */
  isMember?(candidate: T): boolean;
};

export function planClaim<T extends Thing>(claiming: Claiming<T>): Claim<T> {
  const [owned, adopted, released]: [T[], T[], T[]] = [[], [], []];
  const piles: Readonly<Record<Standing, T[]>> = { owned, adopted, released, left: [] };
  for (const each of claiming.candidates) piles[standingOf(each, claiming)].push(each);
  return { owned, adopted, released };
}

type Standing = 'owned' | 'adopted' | 'released' | 'left';

function standingOf<T extends Thing>(each: T, claiming: Claiming<T>): Standing {
  const { owner, selector, isMember = () => true } = claiming;
  if (each.metadata.namespace !== owner.metadata.namespace) return 'left';
  const matches = matchesLabels(selector, each.metadata.labels ?? {}) && isMember(each);
  if (isControlledBy(each, owner)) return matches || isLeaving(each) ? 'owned' : 'released';
  return matches && mayAdopt(owner, each) ? 'adopted' : 'left';
}

function mayAdopt(owner: Thing, each: Thing): boolean {
  return controllerOf(each) === undefined && !isLeaving(each) && !isLeaving(owner);
}

export function ownerReference({ apiVersion, kind, metadata }: Thing): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
