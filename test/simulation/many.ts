import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { BugName } from './bugs.ts';
import { added, emptyTally, type Tally, tallyOfLeft } from './tally.ts';
import type { Share } from './thread.ts';

export type Many = {
  readonly from: number;
  readonly schedules: number;
  readonly bug: BugName | undefined;
  readonly withinSeconds: number;
  /** For one schedule: usually it takes some milliseconds. */
  readonly patienceMs?: number;
  readonly onProgress: (tally: Tally) => void;
};

/** One thread a core; a seed does the same in each of them. */
export async function playMany(many: Many): Promise<Tally> {
  const { from, schedules, bug, withinSeconds, patienceMs = 60_000, onProgress } = many;
  const endsAt = Date.now() + withinSeconds * 1_000;
  let all = emptyTally;
  const stride = Math.min(availableParallelism(), schedules);
  const last = from + schedules - 1;
  const threads = Array.from({ length: stride }, (_, index) => {
    const at = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
    const share: Share = { first: from + index, last, stride, bug, endsAt, at };
    return runThread({ share, patienceMs }, (tally) => {
      all = added(all, tally);
      onProgress(all);
    });
  });
  await Promise.all(threads);
  return all;
}

type Thread = { readonly share: Share; readonly patienceMs: number };

/** A thread that dies, or that stays at one seed, is a failure of that seed. */
function runThread({ share, patienceMs }: Thread, onTally: (tally: Tally) => void): Promise<void> {
  const file = fileURLToPath(new URL('./thread.ts', import.meta.url));
  const thread = new Worker(file, { workerData: share });
  const { promise, resolve } = Promise.withResolvers<void>();
  let why: string | undefined;
  const watching = watchOver(share, patienceMs, () => {
    why = 'it never came to its end';
    void thread.terminate();
  });
  thread.on('message', onTally);
  thread.on('error', (cause: unknown) => {
    why = `it ended its thread: ${cause instanceof Error ? cause.stack : String(cause)}`;
  });
  thread.on('exit', (code) => {
    clearInterval(watching);
    const how = why ?? (code === 0 ? undefined : `it ended its thread with ${code}`);
    if (how !== undefined) onTally(tallyOfLeft(seedOf(share), how));
    resolve();
  });
  return promise;
}

/** In turns of our own, not by a clock: a machine that slept has not been late. */
function watchOver(share: Share, patienceMs: number, onLate: () => void) {
  let [seen, turns] = [Number.NaN, 0];
  return setInterval(() => {
    const seed = seedOf(share);
    turns = seed === seen ? turns + 1 : 0;
    seen = seed;
    if (turns === turnsOfPatience) onLate();
  }, patienceMs / turnsOfPatience);
}

const turnsOfPatience = 10;

function seedOf({ at, first }: Share): number {
  return at[0] || first;
}
