import { widgets } from '../cast.ts';
import type { Server } from './server.ts';
import { type ClusterState, replaceCluster, restore } from './state.ts';
import { removeKind } from './writes.ts';

/** Everything older than now is forgotten. */
export function compact({ state }: Server): boolean {
  state.compacted = state.revision;
  return true;
}

export function goBack({ state, dice, vain }: Server): boolean {
  if (state.past.length === 0) return false;
  vain.clear();
  restore(state, 1 + dice.below(Math.min(4, state.past.length)));
  return true;
}

export function changeCluster({ state, dice, vain }: Server): boolean {
  vain.clear();
  replaceCluster(state, 2 + dice.below(state.revision + 10));
  return true;
}

/** Some replica has not seen the last writes. */
export function lag({ state, dice }: Server): boolean {
  if (state.lagging !== undefined) state.lagging = undefined;
  else state.lagging = Math.max(1, state.revision - dice.below(3));
  return true;
}

export function loseKind({ state, faults, dice }: Server): boolean {
  if (state.served !== undefined) return removeKind(state, dice.chance(0.4));
  bringKindBack(state);
  faults.count('kind-back');
  return false;
}

export function bringKindBack(state: ClusterState): void {
  state.served = widgets.version;
}

export function changeVersion({ state }: Server): boolean {
  if (state.served === undefined) return false;
  state.served = state.served === 'v1' ? 'v2' : 'v1';
  return true;
}
