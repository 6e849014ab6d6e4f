import type { Deployment, ReplicaSet } from '../shapes/workload.ts';
import type { Size } from './plan-rollout.ts';
import {
  availableOf,
  desiredKey,
  isRecreated,
  leewayOf,
  maxKey,
  replicasOf,
  type Sets,
  wanted,
} from './rollout-sets.ts';

/** Somebody has changed the number of replicas: that is not a rollout. */
export function isScaled(deployment: Deployment, { current, old }: Sets): boolean {
  return alive([...old, ...(current === undefined ? [] : [current])]).some(({ metadata }) => {
    const stated = metadata.annotations?.[desiredKey];
    return stated !== undefined && Number(stated) !== wanted(deployment);
  });
}

function alive(sets: readonly ReplicaSet[]): readonly ReplicaSet[] {
  return sets.filter(({ spec }) => (spec.replicas ?? 1) > 0);
}

/** In the middle of a rollout each set gets its share: more of what there is more of. */
export function proportionalSizes(deployment: Deployment, sets: Sets): readonly Size[] {
  const { current, old } = sets;
  const want = wanted(deployment);
  const all = alive([...(current === undefined ? [] : [current]), ...old]);
  const only = all.length <= 1 ? (all[0] ?? current) : undefined;
  if (only !== undefined)
    return [{ set: only, replicas: want }].filter((size) => isNews(size, want));
  if (current !== undefined && isSaturated(current, want)) {
    return alive(old).map((set) => ({ set, replicas: 0 }));
  }
  return isRecreated(deployment) ? [] : shares(deployment, all);
}

function isSaturated(current: ReplicaSet, want: number): boolean {
  const { annotations } = current.metadata;
  const isMeant = Number(annotations?.[desiredKey]) === want;
  return isMeant && replicasOf([current]) === want && availableOf([current]) === want;
}

function shares(deployment: Deployment, all: readonly ReplicaSet[]): readonly Size[] {
  const want = wanted(deployment);
  const most = want === 0 ? 0 : want + leewayOf(deployment).surge;
  const missing = most - replicasOf(all);
  const bySize = all.toSorted((a, b) => replicasOf([b]) - replicasOf([a]));
  let left = missing;
  const sizes = bySize.map((set) => {
    const share = shareOf(set, { most, missing: left });
    left -= share;
    return { set, replicas: replicasOf([set]) + share };
  });
  return sizes
    .map((size, at) => (at === 0 ? { ...size, replicas: Math.max(0, size.replicas + left) } : size))
    .filter((size) => isNews(size, want));
}

/** The number, or what the set says it was made from: while that is another one, the scaling is not over. */
function isNews({ set, replicas }: Size, want: number): boolean {
  const stated = set.metadata.annotations?.[desiredKey];
  return replicasOf([set]) !== replicas || (stated !== undefined && Number(stated) !== want);
}

type Left = { readonly most: number; readonly missing: number };

function shareOf(set: ReplicaSet, { most, missing }: Left): number {
  const size = replicasOf([set]);
  const before = Number(set.metadata.annotations?.[maxKey] ?? 0) || most;
  const share = Math.round((size * most) / before) - size;
  return missing > 0
    ? Math.min(Math.max(share, 0), missing)
    : Math.max(Math.min(share, 0), missing, -size);
}
