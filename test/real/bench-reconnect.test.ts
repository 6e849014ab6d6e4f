import { expect, it } from 'vitest';
import { fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { reconnected, watchesEnded } from '#test/bench/forwarder/reconnect.ts';

it('counts no watch that did not come back, beside the lists that nobody asked for', async () => {
  const cluster = await fakeCluster();
  try {
    const patienceMs = 50;
    expect(await reconnected(cluster, patienceMs)).toMatchObject({ lists: 0, cameBack: 0 });
    expect(watchesEnded).toBe(30);
  } finally {
    await cluster.close();
  }
});
