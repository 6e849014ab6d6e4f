import { setTimeout as after } from 'node:timers/promises';
import type { FakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { idOf } from '#infra/emulator/cluster/served-kinds.ts';
import { kinds } from './kinds.ts';

export type Reconnected = {
  readonly lists: number;
  /** Of one object's metadata: the version check. */
  readonly versionChecks: number;
  /** A kind that waits for its watch asks for no list either. */
  readonly cameBack: number;
};

const rounds = 3;

/** As many come back where all do. */
export const watchesEnded = rounds * kinds.length;

/** Ends all watches, in good order or not, and counts what is asked of the server until they are back. */
export async function reconnected(
  { requests, faults }: FakeCluster,
  patienceMs = 30_000,
): Promise<Reconnected> {
  requests.reset();
  let cameBack = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const before = kinds.map((kind) => requests.of('watch', idOf(kind)));
    const back = () =>
      kinds.filter((kind, at) => requests.of('watch', idOf(kind)) > (before[at] ?? 0)).length;
    if (round % 2 === 0) faults.dropWatches();
    else faults.cutWatches();
    const deadline = performance.now() + patienceMs;
    while (back() < kinds.length && performance.now() < deadline) await after(50);
    await after(500);
    cameBack += back();
  }
  return {
    lists: kinds.reduce((sum, kind) => sum + requests.of('list', idOf(kind)), 0),
    versionChecks: requests.of('version'),
    cameBack,
  };
}
