import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { countedByAll } from '#test/bench/chaos/counted.ts';
import { type Fault, ofDatabase, ofProcesses } from '#test/bench/chaos/faults.ts';
import { ofOperators } from '#test/bench/chaos/operator-faults.ts';
import { type Outcome, play } from '#test/bench/chaos/play.ts';
import { rowsAtRest } from '#test/bench/chaos/rows.ts';
import { openWorld, type World, wallMs } from '#test/bench/chaos/world.ts';
import { ofKube } from './chaos/faults.ts';
import { type KubeCluster, kubeCluster } from './chaos/kube-cluster.ts';

const waits = {
  ...{
    leaseMs: 300,
    idleMs: 2_000,
    auditMs: 2_000,
    awayMs: 400,
    momentMs: 50,
    visibilitySeconds: 3,
  },
  patienceMs: 60_000,
};
const patiently = { timeout: 20_000, interval: 100 };
const faults: readonly Fault<World<KubeCluster>>[] = [
  ...ofDatabase,
  ...ofOperators,
  ...ofProcesses,
  ...ofKube,
];

/** What happened is what etcd says. A kind that comes and goes is the emulated cluster's. */
describe('our processes before a real kube-apiserver, under every fault', () => {
  let world: World<KubeCluster>;
  let outcome: Outcome;
  /** By the ledger's clock, for whoever looks for what was lost. */
  const timeline: string[] = [];

  beforeAll(async () => {
    const crowd = { pods: 60, others: 20, spaces: 3 };
    const stage = { crowd, waits, seed: 7, isDurable: false, workers: 1 };
    world = await openWorld(stage, kubeCluster);
    const onFault = (name: string) => void timeline.push(`${wallMs()} ${name}`);
    outcome = await play(world, { faults, perSecond: 50, events: 0, relabelMs: 500, onFault });
  }, 600_000);

  afterAll(() => world?.close());

  it('make each fault while they are written to', () => {
    expect(outcome.faults).toBe(faults.length);
    expect(outcome.verdict.events).toBeGreaterThan(300);
    expect(outcome.verdict.runs).toBeGreaterThan(300);
  });

  it('lose nothing, turn nothing round, miss no deletion, and run for nothing that never was', async () => {
    const wanted = { lost: 0, missingDeletes: 0, reordered: 0, strangers: 0, examples: [] };
    expect(outcome.verdict, timeline.join('\n')).toMatchObject({ ...wanted, unknownIds: 0 });
    const { lost, audits } = await countedByAll(world);
    expect(lost).toBe(0);
    expect(audits).toBeGreaterThan(0);
  });

  it('leave a mirror that is what etcd has, and a queue without rests', async () => {
    // The API server writes ConfigMaps of its own at any time.
    await vi.waitFor(async () => {
      world.drain();
      const rows = await rowsAtRest(world);
      expect(rows).toMatchObject({ missing: 0, extra: 0, waiting: 0, buried: 0 });
      expect(rows.living).toBeGreaterThan(50);
    }, patiently);
  });
});
