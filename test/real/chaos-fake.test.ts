import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { countedByAll } from '#test/bench/chaos/counted.ts';
import { ofServer } from '#test/bench/chaos/faults.ts';
import { type Outcome, play } from '#test/bench/chaos/play.ts';
import { rowsAtRest } from '#test/bench/chaos/rows.ts';
import { openWorld, type World } from '#test/bench/chaos/world.ts';

const waits = {
  ...{ leaseMs: 300, idleMs: 300, auditMs: 500, awayMs: 400, momentMs: 50, visibilitySeconds: 3 },
  patienceMs: 60_000,
};

/** Before which the benchmark plays for long, and the library's informer. In `npm test`, the emulated cluster stands in its place. */
describe('our processes before the fake API server, under each of its faults', () => {
  let world: World;
  let outcome: Outcome;

  beforeAll(async () => {
    const crowd = { pods: 60, others: 20, spaces: 3 };
    const stage = { crowd, waits, seed: 7, isDurable: false, workers: 1 };
    world = await openWorld(stage, fakeCluster);
    outcome = await play(world, { faults: ofServer, perSecond: 150, events: 0, relabelMs: 300 });
  }, 300_000);

  afterAll(() => world?.close());

  it('make each fault while they are written to', () => {
    expect(outcome.faults).toBe(ofServer.length);
    expect(outcome.verdict.events).toBeGreaterThan(200);
    expect(outcome.verdict.runs).toBeGreaterThan(200);
  });

  it('lose nothing, turn nothing round, miss no deletion, and run for nothing that never was', async () => {
    const { verdict } = outcome;
    const wanted = { lost: 0, missingDeletes: 0, reordered: 0, strangers: 0, examples: [] };
    expect(verdict).toMatchObject({ ...wanted, unknownIds: 0 });
    const { lost, audits } = await countedByAll(world);
    expect(lost).toBe(0);
    expect(audits).toBeGreaterThan(0);
  });

  it('leave a mirror that is the cluster, and a queue without rests', async () => {
    const rows = await rowsAtRest(world);
    expect(rows).toMatchObject({ missing: 0, extra: 0, waiting: 0, buried: 0 });
    expect(rows.living).toBeGreaterThan(50);
  });
});
