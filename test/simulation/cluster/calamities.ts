import { widgets } from '../cast.ts';
import type { Server } from './server.ts';
import { type ClusterState, replaceCluster, restore, tooOlds } from './state.ts';
import { removeAll, removeKind } from './writes.ts';

/** Everything older than now is forgotten; where all have read up to now, that is nothing to anybody. */
export function compact(server: Server): boolean {
  const { state, watches } = server;
  state.compacted = state.revision;
  drawShape(server);
  return watches.size === 0 || [...watches].some(({ from }) => from < state.revision);
}

/** Nobody could watch for long: meanwhile all were deleted, and of that only a list tells. */
export function keepAway(server: Server): boolean {
  const { state, watches } = server;
  const gone = removeAll(state);
  if (gone === 0) return false;
  for (const watch of watches) watch.ended ??= { kind: 'cut', why: 'reset' };
  compact(server);
  return true;
}

function drawShape({ state, dice }: Server): void {
  state.tooOld = dice.pick(tooOlds);
}

export function goBack(server: Server): boolean {
  const { state, dice, vain } = server;
  if (state.past.length === 0) return false;
  vain.clear();
  drawShape(server);
  restore(state, 1 + dice.below(Math.min(4, state.past.length)));
  return true;
}

export function changeCluster(server: Server): boolean {
  const { state, dice, vain } = server;
  vain.clear();
  drawShape(server);
  replaceCluster(state, 2 + dice.below(state.revision + 10));
  return true;
}

/** Some replica has not seen the last writes; where one lags already, it has caught up. */
export function lag({ state, dice }: Server): boolean {
  const begins = state.lagging === undefined;
  state.lagging = begins ? Math.max(1, state.revision - dice.below(3)) : undefined;
  return begins;
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
