import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { Store, Stream } from '#events/forwarder/ports.ts';
import { mirrorShelf } from '#infra/emulator/testing/mirror/shelf.ts';
import { queueInMemory } from '#infra/emulator/testing/queue-in-memory.ts';
import { storeInMemory } from '#infra/emulator/testing/store-in-memory.ts';
import { pods } from '#shared/domain/kind.ts';
import { forwarding, subscribed, until } from '#test/support/forwarding.ts';

/** The first process sleeps with a question to the API server on its way, and hears of its term one step too late. */
function sleeping(inMemory: Store) {
  const bed = Promise.withResolvers<void>();
  let sleeper: string | undefined;
  let isAsleep = false;
  const store: Store = {
    ...inMemory,
    async claim(scope, holder, leaseMs, how) {
      sleeper ??= holder;
      return inMemory.claim(scope, holder, leaseMs, how);
    },
    async renew(term, leaseMs) {
      if (term.holder === sleeper && isAsleep) await bed.promise.then(() => pause(300));
      return inMemory.renew(term, leaseMs);
    },
  };
  let isFirst = true;
  const streamOver = (stream: Stream): Stream => {
    const isOthers = !isFirst;
    isFirst = false;
    if (isOthers) return stream;
    return {
      ...stream,
      async version(scope, signal) {
        if (!isAsleep) return stream.version(scope, signal);
        await bed.promise;
        return { kind: 'version', resourceVersion: '1' };
      },
    };
  };
  return {
    ...{ store, streamOver },
    fallAsleep: () => {
      isAsleep = true;
    },
    wakeUp: () => bed.resolve(),
  };
}

it('one that slept behind the answer of a replica that lags opens no epoch when it wakes up, its term long over', async () => {
  const shelf = mirrorShelf();
  const queue = queueInMemory({ now: Date.now, after: () => () => undefined });
  const inMemory = storeInMemory({ shelf, cluster: 'default', now: Date.now, open: queue.open });
  const { fallAsleep, wakeUp, ...ports } = sleeping(inMemory);
  const world = await forwarding(ports);
  onTestFinished(() => world.close());
  const sleeper = await world.start([subscribed({ of: pods })]);
  await until('it watches', () => sleeper.kinds().includes('watching'));
  fallAsleep();
  world.cluster.faults.cutWatches();

  const other = await world.start([subscribed({ of: pods })]);
  await until('another one took over', () => other.kinds().includes('watching'));
  wakeUp();
  await until('it knows', () => sleeper.kinds().includes('fenced'));
  expect(shelf.clusters.get('default')?.epoch).toBe(1);
});
