import { describe, expect, it } from 'vitest';
import { changeCluster, goBack } from './cluster/calamities.ts';
import type { Server } from './cluster/server.ts';
import { emptyCluster } from './cluster/state.ts';
import { populate } from './cluster/writes.ts';
import { diceFrom } from './dice.ts';
import { faultsBy } from './faults.ts';
import { openStage } from './stage.ts';

function serverWithVainLook(): Server {
  const dice = diceFrom(1);
  const state = emptyCluster();
  populate(state, dice);
  const parts = { stage: openStage(dice, false), faults: faultsBy(dice), streams: true };
  const looks = { asked: new Map(), looking: new Map(), vain: new Map([['widgets', 9]]) };
  return { ...parts, ...looks, state, dice, watches: new Set() };
}

describe('what a look found in vain', () => {
  it.each([
    ['a restore', goBack],
    ['another cluster', changeCluster],
  ])('belongs to the history that ends with %s', (_, happen) => {
    const server = serverWithVainLook();
    expect(happen(server)).toBe(true);
    expect([...server.vain]).toEqual([]);
  });
});
