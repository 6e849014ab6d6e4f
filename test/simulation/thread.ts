import { parentPort, workerData } from 'node:worker_threads';
import type { BugName } from './bugs.ts';
import { survived } from './survived.ts';
import { added, emptyTally, type Tally, tallyOf } from './tally.ts';

/** The seeds of one thread: every `stride`-th from the first on. */
export type Share = {
  readonly first: number;
  readonly last: number;
  readonly stride: number;
  readonly bug: BugName | undefined;
  /** By the clock of the machine: then it ends with what it has. */
  readonly endsAt: number;
  /** Which of them it is at; whoever never comes to another turn can say it in no other way. */
  readonly at: Float64Array<SharedArrayBuffer>;
};

const perReport = 250;
const mostFailures = 5;

async function work({ first, last, stride, bug, endsAt, at }: Share): Promise<void> {
  let tally: Tally = emptyTally;
  let failures = 0;
  for (let seed = first; seed <= last && failures < mostFailures; seed += stride) {
    if (Date.now() > endsAt) break;
    at[0] = seed;
    const outcome = await survived({ seed, bug });
    if (outcome.broken !== undefined) failures += 1;
    tally = added(tally, tallyOf(outcome));
    if (tally.schedules < perReport && outcome.broken === undefined) continue;
    report(tally);
    tally = emptyTally;
  }
  report(tally);
}

let told = process.threadCpuUsage();

function report(tally: Tally): void {
  const { user, system } = process.threadCpuUsage(told);
  told = process.threadCpuUsage();
  parentPort?.postMessage({ ...tally, cpuMs: (user + system) / 1_000 });
}

await work(workerData);
