import { setTimeout as after } from 'node:timers/promises';
import type { FakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { idOf } from '#infra/emulator/cluster/served-kinds.ts';
import { kinds } from './kinds.ts';

export type Reconnected = {
  readonly lists: number;
  /** Of one object's metadata: the version check. */
  readonly versionChecks: number;
  readonly watches: number;
};

const rounds = 3;
const patienceMs = 30_000;

/** Ends all watches, in good order or not, and counts what is asked of the server until they are back. */
export async function reconnected(cluster: FakeCluster): Promise<Reconnected> {
  const { requests, faults } = cluster;
  requests.reset();
  for (let round = 1; round <= rounds; round += 1) {
    if (round % 2 === 0) faults.dropWatches();
    else faults.cutWatches();
    const deadline = performance.now() + patienceMs;
    while (requests.of('watch') < round * kinds.length && performance.now() < deadline) {
      await after(50);
    }
    await after(500);
  }
  return {
    lists: kinds.reduce((sum, kind) => sum + requests.of('list', idOf(kind)), 0),
    versionChecks: requests.of('version'),
    watches: requests.of('watch'),
  };
}
