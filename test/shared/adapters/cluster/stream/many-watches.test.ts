import { expect, it } from 'vitest';
import { fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { openSession } from '#shared/adapters/cluster/login.ts';
import { openStream } from '#shared/adapters/cluster/stream.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { forever } from './streaming-server.ts';

const options = { resourceVersion: '1', timeoutSeconds: 60, signal: forever };

async function openWatches(count: number, maxSockets: number, idleMs: number) {
  await using cluster = await disposable();
  const login = { kind: 'kubeconfig-text', text: cluster.kubeconfig } as const;
  const session = await openSession(login, { maxSockets });
  const stream = openStream({ session });
  const scope = (index: number) => ({ kind: configMaps, fields: `metadata.name=n${index}` });
  const opened = await Promise.allSettled(
    Array.from({ length: count }, (_, index) => stream.watch(scope(index), { ...options, idleMs })),
  );
  session.close();
  return opened.filter(({ status }) => status === 'fulfilled').length;
}

async function disposable() {
  const cluster = await fakeCluster();
  return { kubeconfig: cluster.kubeconfig, [Symbol.asyncDispose]: cluster.close };
}

it('opens more watches than a session has sockets for by itself, where it is opened with more', async () => {
  expect(await openWatches(80, 100, 20_000)).toBe(80);
});

it('does not wait for a socket for longer than for an answer', async () => {
  expect(await openWatches(3, 2, 500)).toBe(2);
});
