import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { BugName } from './bugs.ts';
import { added, emptyTally, type Tally } from './tally.ts';
import type { Share } from './thread.ts';

export type Many = {
  readonly from: number;
  readonly schedules: number;
  readonly bug: BugName | undefined;
  readonly withinSeconds: number;
  readonly onProgress: (tally: Tally) => void;
};

/** One thread a core; a seed does the same in each of them. */
export async function playMany(many: Many): Promise<Tally> {
  const { from, schedules, bug, withinSeconds, onProgress } = many;
  const endsAt = Date.now() + withinSeconds * 1_000;
  let all = emptyTally;
  const stride = Math.min(availableParallelism(), schedules);
  const last = from + schedules - 1;
  const threads = Array.from({ length: stride }, (_, at) =>
    runThread({ first: from + at, last, stride, bug, endsAt }, (tally) => {
      all = added(all, tally);
      onProgress(all);
    }),
  );
  await Promise.all(threads);
  return all;
}

function runThread(share: Share, onTally: (tally: Tally) => void): Promise<void> {
  const file = fileURLToPath(new URL('./thread.ts', import.meta.url));
  const thread = new Worker(file, { workerData: share });
  return new Promise((resolve, reject) => {
    thread.on('message', onTally);
    thread.on('error', reject);
    thread.on('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`a thread ended with ${code}`));
    });
  });
}
