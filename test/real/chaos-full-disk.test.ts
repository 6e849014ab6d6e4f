import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeCluster, fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { countedByAll } from '#test/bench/chaos/counted.ts';
import { ofDisk } from '#test/bench/chaos/disk-faults.ts';
import { type Outcome, play } from '#test/bench/chaos/play.ts';
import { rowsAtRest } from '#test/bench/chaos/rows.ts';
import { openWorld, type World } from '#test/bench/chaos/world.ts';

const waits = {
  ...{ leaseMs: 300, idleMs: 300, auditMs: 500, awayMs: 400, momentMs: 50, visibilitySeconds: 3 },
  patienceMs: 60_000,
};

/** Each fault itself asks of every process that it says what to do, and lives. */
describe('our processes, whose database has a full disk', () => {
  let world: World<FakeCluster>;
  let outcome: Outcome;

  beforeAll(async () => {
    const crowd = { pods: 60, others: 20, spaces: 3 };
    const stage = { crowd, waits, seed: 7, isDurable: true, diskMegabytes: 160, workers: 1 };
    world = await openWorld<FakeCluster>(stage, fakeCluster);
    outcome = await play(world, { faults: ofDisk, perSecond: 300, events: 0, relabelMs: 300 });
  }, 240_000);

  afterAll(() => world?.close());

  it('lose nothing, turn nothing round and miss no deletion, by the ledger and by their own count', async () => {
    const { verdict, faults } = outcome;
    const wanted = { lost: 0, missingDeletes: 0, reordered: 0, strangers: 0, unknownIds: 0 };
    expect(verdict).toMatchObject({ ...wanted, examples: [] });
    expect(verdict.events).toBeGreaterThan(300);
    expect(faults).toBe(ofDisk.length);
    expect((await countedByAll(world)).lost).toBe(0);
  });

  it('leave a mirror that is the cluster, and a queue without rests', async () => {
    const rows = await rowsAtRest(world);
    expect(rows).toMatchObject({ missing: 0, extra: 0, waiting: 0, buried: 0 });
    expect(rows.living).toBeGreaterThan(50);
  });
});
