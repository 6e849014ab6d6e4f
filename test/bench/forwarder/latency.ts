import { setTimeout as after } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import type { openRuns } from '../chaos/runs.ts';
import { percentile } from '../support/statistics.ts';
import { type Placed, prepareTouch } from './objects.ts';

export type Rate = { readonly perSecond: number; readonly seconds: number };

export type Latency = { readonly p50: number; readonly p99: number; readonly max: number };

export type Measured = {
  readonly cluster: FakeCluster;
  readonly placed: readonly Placed[];
  readonly runs: ReturnType<typeof openRuns>;
};

const tickMs = 2;
const patienceMs = 60_000;
let turn = 0;

/** Milliseconds from the commit in the API server's ledger until the function, or the handler, began; each object is written once. */
export async function latencyOf(
  { cluster, placed, runs }: Measured,
  { perSecond, seconds }: Rate,
): Promise<Latency> {
  runs.read();
  cluster.ledger.forget();
  const count = Math.min(perSecond * seconds, placed.length);
  // Another corner of the cluster each time; pods and the others as they are mixed.
  turn += 1;
  const from = (turn * 7_919) % placed.length;
  const touched = [...placed.slice(from), ...placed.slice(0, from)].slice(0, count);
  // Ahead of time: nobody's API server makes its objects' texts on the two processors that are measured here.
  const writes = touched.map((each) => prepareTouch(cluster, each, turn));
  collectRubbish();
  const began = performance.now();
  for (let written = 0; written < count; await after(tickMs)) {
    const due = Math.min(count, ((performance.now() - began) * perSecond) / 1_000);
    for (; written < due; written += 1) writes[written]?.();
  }
  return judged(await arrivals(runs, writesOf(cluster)));
}

/**
 * What the preparing left behind, and not while it is measured: this process is the API server. Its heap, the buffers of
 * its answers with it, may then grow to three times its size before all of it is looked through: that took one of the two
 * processors, for a third of a second, at the end of each round.
 */
function collectRubbish(): void {
  setFlagsFromString('--expose-gc');
  setFlagsFromString('--heap-growing-percent=200');
  setFlagsFromString('--external-memory-accounted-in-global-limit');
  runInNewContext('gc')();
}

/** By uid, on the machine's monotonic clock. */
function writesOf({ ledger }: FakeCluster): ReadonlyMap<string, number> {
  const monotonic = Number(process.hrtime.bigint()) / 1e6;
  const offset = monotonic - (performance.timeOrigin + performance.now());
  const writes = new Map(ledger.entries().map(({ uid, at }) => [uid, at + offset]));
  ledger.forget();
  return writes;
}

async function arrivals(
  runs: Measured['runs'],
  writes: ReadonlyMap<string, number>,
): Promise<readonly number[]> {
  const open = new Map(writes);
  const millis: number[] = [];
  for (const deadline = performance.now() + patienceMs; open.size > 0; await after(20)) {
    for (const { uid, beganAt } of runs.read()) {
      const at = open.get(uid);
      // Twice is no longer than once.
      if (at === undefined || beganAt < at) continue;
      millis.push(beganAt - at);
      open.delete(uid);
    }
    if (performance.now() > deadline) throw new Error(`${open.size} events never arrived`);
  }
  return millis;
}

function judged(millis: readonly number[]): Latency {
  const sorted = millis.toSorted((one, other) => one - other);
  return {
    p50: percentile(sorted, 50),
    p99: percentile(sorted, 99),
    max: percentile(sorted, 100),
  };
}
