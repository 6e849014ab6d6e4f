import { isLeaving } from '../shapes/meta.ts';
import type { Deployment, ReplicaSet } from '../shapes/workload.ts';
import { isScaled, proportionalSizes } from './proportional.ts';
import { isComplete } from './rollout-conditions.ts';
import {
  availableOf,
  isRecreated,
  leewayOf,
  replicasOf,
  revisionOf,
  type Sets,
  wanted,
} from './rollout-sets.ts';

/** How many replicas a set is to have. */
export type Size = { readonly set: ReplicaSet; readonly replicas: number };

export type Rollout = {
  /** With which to make the set of the present template. */
  readonly create?: number;
  readonly sizes: readonly Size[];
  readonly remove: readonly ReplicaSet[];
};

type Facts = {
  readonly sets: Sets;
  /** Old pods that still run. */
  readonly oldPods: number;
};

const nothing: Rollout = { sizes: [], remove: [] };

/** One step of the way to all replicas being of the present template. */
export function planRollout(deployment: Deployment, facts: Facts): Rollout {
  const { sets } = facts;
  if (isLeaving(deployment)) return nothing;
  const { paused = false } = deployment.spec;
  const remove = paused || isThrough(deployment) ? outdated(deployment, sets) : [];
  if (paused || isScaled(deployment, sets)) {
    return { sizes: proportionalSizes(deployment, sets), remove };
  }
  const plan = isRecreated(deployment) ? recreate(deployment, facts) : roll(deployment, sets);
  return { ...plan, remove };
}

function recreate(deployment: Deployment, { sets, oldPods }: Facts): Rollout {
  const alive = sets.old.filter(({ spec }) => (spec.replicas ?? 1) > 0);
  if (alive.length > 0) return { ...nothing, sizes: alive.map((set) => ({ set, replicas: 0 })) };
  if (oldPods > 0) return nothing;
  return sized(sets.current, wanted(deployment));
}

function sized(current: ReplicaSet | undefined, replicas: number): Rollout {
  if (current === undefined) return { ...nothing, create: replicas };
  if ((current.spec.replicas ?? 1) === replicas) return nothing;
  return { ...nothing, sizes: [{ set: current, replicas }] };
}

/** Up as far as the surge allows, and only then down. */
function roll(deployment: Deployment, sets: Sets): Rollout {
  const up = sized(sets.current, currentSize(deployment, sets));
  if (up.create !== undefined || up.sizes.length > 0) return up;
  return { ...nothing, sizes: shrunk(deployment, sets) };
}

function currentSize(deployment: Deployment, { current, old }: Sets): number {
  const want = wanted(deployment);
  const size = current === undefined ? 0 : replicasOf([current]);
  if (size >= want) return want;
  const most = want + leewayOf(deployment).surge;
  const room = most - size - replicasOf(old);
  return room <= 0 ? size : size + Math.min(room, want - size);
}

/** Of the old sets: first what does not run anyway, then as much as the others make up for. */
function shrunk(deployment: Deployment, { current, old }: Sets): readonly Size[] {
  const alive = old.filter(({ spec }) => (spec.replicas ?? 1) > 0);
  if (alive.length === 0 || current === undefined) return [];
  const least = wanted(deployment) - leewayOf(deployment).unavailable;
  const unready = replicasOf([current]) - availableOf([current]);
  const spare = replicasOf([current, ...old]) - least - unready;
  if (spare <= 0) return [];

  const all = alive.map((set) => ({ set, replicas: replicasOf([set]) }));
  const sick = taken(all, spare, ({ set }) => replicasOf([set]) - availableOf([set]));
  const healthy = Math.max(0, availableOf([current, ...old]) - least);
  return taken(sick, healthy, ({ replicas }) => replicas).filter(
    ({ set, replicas }) => replicasOf([set]) !== replicas,
  );
}

/** Takes from one after the other, of each no more than it can give. */
function taken(
  from: readonly Size[],
  amount: number,
  givable: (each: Size) => number,
): readonly Size[] {
  let left = amount;
  return from.map((each) => {
    const less = Math.max(0, Math.min(left, givable(each)));
    left -= less;
    return { set: each.set, replicas: each.replicas - less };
  });
}

function isThrough(deployment: Deployment): boolean {
  const { metadata, status = {} } = deployment;
  const isSeen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return isSeen && isComplete(deployment, status);
}

/** Of those beyond what is kept for rolling back the ones with nothing in them. */
function outdated({ spec }: Deployment, { old }: Sets): readonly ReplicaSet[] {
  const kept = spec.revisionHistoryLimit ?? 10;
  const byRevision = old
    .filter((set) => !isLeaving(set))
    .toSorted((a, b) => revisionOf(a) - revisionOf(b));
  return byRevision.slice(0, Math.max(0, byRevision.length - kept)).filter(isEmpty);
}

function isEmpty({ metadata, spec, status }: ReplicaSet): boolean {
  const isSeen = status?.observedGeneration === metadata.generation;
  return isSeen && (spec.replicas ?? 1) === 0 && (status?.replicas ?? 0) === 0;
}
