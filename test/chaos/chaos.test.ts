import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '#infra/build/program.ts';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { countedByAll } from '#test/bench/chaos/counted.ts';
import { shortFaults as faults } from '#test/bench/chaos/faults.ts';
import { inquest } from '#test/bench/chaos/inquest.ts';
import { type Outcome, play } from '#test/bench/chaos/play.ts';
import { rowsAtRest } from '#test/bench/chaos/rows.ts';
import { loseMessage, loseRow } from '#test/bench/chaos/sabotage.ts';
import { verdictOf } from '#test/bench/chaos/verdict.ts';
import { runsWithoutRight } from '#test/bench/chaos/without-right.ts';
import { openWorld, until, type World } from '#test/bench/chaos/world.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/**
 * Nothing waits for more than a second but a dead worker's message, which takes the least that may be set. Leases of 300 ms
 * went to and fro on a machine with a load of 30, and nobody came to anything within ten minutes.
 */
const waits = {
  ...{ leaseMs: 600, idleMs: 600, auditMs: 500, awayMs: 400, momentMs: 50, visibilitySeconds: 3 },
  patienceMs: 120_000,
};

/** The fake API server, which shares its store, watches and faults, is put to them in `test:real`. */
describe('our processes before the emulated cluster, under every fault at once', {
  timeout: 120_000,
}, () => {
  let world: World;
  let outcome: Outcome;

  beforeAll(async () => {
    const crowd = { pods: 60, others: 20, spaces: 3 };
    // Started nine times: from the sources, the starts were half of the work.
    const folder = temporaryFolder('gatehouse-chaos-');
    const building = buildProgram([], folder, { hasMaps: false });
    const program = building.then(() => join(folder, 'gatehouse.mjs'));
    const stage = { crowd, waits, seed: 7, isDurable: false, workers: 1, program };
    world = await openWorld(stage, (options) => emulatedCluster({ ...options, hasLedger: true }));
    outcome = await play(world, { faults, perSecond: 40, events: 0, relabelMs: 1_000 });
  }, 600_000);

  afterAll(() => world?.close());

  it('make each fault while they are written to', () => {
    expect(outcome.faults).toBe(faults.length);
    expect(outcome.verdict.events).toBeGreaterThan(300);
    expect(outcome.verdict.runs).toBeGreaterThan(300);
  });

  it('lose nothing, turn nothing round, miss no deletion, and run for nothing that never was', async () => {
    const { verdict } = outcome;
    const found = await inquest(world, verdict);
    const wanted = { lost: 0, missingDeletes: 0, reordered: 0, strangers: 0, examples: [] };
    expect(verdict, found).toMatchObject({ ...wanted, unknownIds: 0 });
  });

  it('run nothing twice at once, but where a receipt had ended', async () => {
    const { together, lapses } = await runsWithoutRight(world);
    expect(together).toEqual([]);
    expect(lapses).toBeGreaterThan(0);
  });

  it('count no loss themselves, in audits that were carried through', async () => {
    const { lost, audits } = await countedByAll(world);
    expect(lost).toBe(outcome.verdict.lost);
    expect(audits).toBeGreaterThan(10);
  });

  it('leave a mirror that is the cluster, and a queue without rests', async () => {
    const rows = await rowsAtRest(world);
    expect(rows).toMatchObject({ missing: 0, extra: 0, waiting: 0, buried: 0 });
    expect(rows.living).toBeGreaterThan(50);
  });

  it('are found out when a message is taken from them', async () => {
    await loseMessage(world, 'change');
    await loseMessage(world, 'deletion');
    await until(() => {
      world.drain();
      return verdictOf(world.checker).lost + verdictOf(world.checker).missingDeletes === 2;
    }, 30_000);
    const verdict = verdictOf(world.checker);
    expect(verdict).toMatchObject({ lost: 1, missingDeletes: 1 });
    expect(await inquest(world, verdict)).toMatch(/"at":"mirror".*worker.* said last:/s);
  });
  it('count themselves what was taken from the mirror', async () => {
    await loseRow(world);
    await expect.poll(async () => (await countedByAll(world)).lost, { timeout: 60_000 }).toBe(1);
  });
});
