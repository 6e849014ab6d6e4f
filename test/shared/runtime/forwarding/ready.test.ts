import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { mirrorShelf } from '#infra/emulator/testing/mirror/shelf.ts';
import { queueInMemory } from '#infra/emulator/testing/queue-in-memory.ts';
import { storeInMemory } from '#infra/emulator/testing/store-in-memory.ts';
import { pods } from '#shared/domain/kind.ts';
import { openTeller } from '#shared/runtime/forwarding/telling.ts';
import { forwarding, subscribed, until } from '#test/support/forwarding.ts';
import { logRecorded } from '#test/support/running.ts';

const first = subscribed({ of: pods }, 'first');
const second = subscribed({ of: pods }, 'second');

it('a function that is switched on while its kind is followed is woken for what exists before the forwarder is ready', async () => {
  const queue = queueInMemory({ now: Date.now, after: () => () => undefined });
  const shelf = mirrorShelf();
  const inMemory = storeInMemory({ shelf, cluster: 'default', now: Date.now, open: queue.open });
  let door: Promise<void> | undefined;
  const world = await forwarding({
    store: {
      ...inMemory,
      async transact(term, work, how) {
        await door;
        return inMemory.transact(term, work, how);
      },
    },
  });
  onTestFinished(() => world.close());
  const spec = { containers: [{ name: 'main', image: 'nginx' }] };
  const metadata = { name: 'web', namespace: 'default' };
  world.cluster.objects.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  const one = await world.start([first]);
  const isReady = () => {
    const registry = new Registry();
    const teller = openTeller({ log: logRecorded(), registry, now: Date.now, idleMs: 400 });
    for (const each of one.told) teller.tell(each);
    return teller.isFollowing(['pods']);
  };
  await until('it is ready', isReady);

  const opened = Promise.withResolvers<void>();
  door = opened.promise;
  const followed = one.follow([first, second]);
  const turns = () => one.kinds().filter((kind) => kind === 'took-over').length;
  await until('it has begun anew', () => turns() === 2);
  expect(isReady()).toBe(false);

  opened.resolve();
  await followed;
  await until('it is ready again', isReady);
  expect(one.told).toContainEqual(
    expect.objectContaining({ kind: 'woke-existing', function: 'second', objects: 1 }),
  );
});
