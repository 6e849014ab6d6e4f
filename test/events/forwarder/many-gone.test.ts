import { expect, it, onTestFinished } from 'vitest';
import type { Store } from '#events/forwarder/ports.ts';
import type { Told } from '#events/forwarder/told.ts';
import { mirrorShelf } from '#infra/emulator/testing/mirror/shelf.ts';
import { queueInMemory } from '#infra/emulator/testing/queue-in-memory.ts';
import { storeInMemory } from '#infra/emulator/testing/store-in-memory.ts';
import { pods } from '#shared/domain/kind.ts';
import { forwarding, subscribed, until } from '#test/support/forwarding.ts';

const names = ['a', 'b', 'c', 'd', 'e'];
const everyPod = [subscribed({ of: pods })];
const paceOfFew = { batchLimit: 2 };

/** The messages of what was committed: `a gone`. */
function sentBy({ told }: { readonly told: readonly Told[] }): readonly string[] {
  const sent = told.flatMap((each) => (each.kind === 'committed' ? each.sent : []));
  const bodies = sent.map(({ body }) => JSON.parse(body));
  return bodies.map(({ name, deleted }) => (deleted === true ? `${name} gone` : name));
}

it('more that a list did not show than one transaction takes are all told, where whoever listed dies between two', async () => {
  const queue = queueInMemory({ now: Date.now, after: () => () => undefined });
  const shelf = mirrorShelf();
  const inMemory = storeInMemory({ shelf, cluster: 'default', now: Date.now, open: queue.open });
  const buried = () => [...shelf.rows.values()].filter(({ row }) => row.isDeleted).length;
  let isFailing = false;
  const store: Store = {
    ...inMemory,
    async transact(...given) {
      if (isFailing && buried() > 0) throw new Error('the database is away');
      return inMemory.transact(...given);
    },
  };
  const world = await forwarding({ store });
  onTestFinished(() => world.close());
  const { objects, past } = world.cluster;
  for (const name of names) {
    const metadata = { name, namespace: 'default' };
    objects.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata });
  }
  const first = await world.start(everyPod, paceOfFew);
  await until('it watches', () => first.kinds().includes('watching'));
  await first.stop();
  for (const name of names) objects.delete(pods, { name, namespace: 'default' });
  past.compact();

  isFailing = true;
  const second = await world.start(everyPod, paceOfFew);
  await until('it has failed', () => second.kinds().includes('failed'));
  second.kill();
  expect(buried()).toBe(2);

  isFailing = false;
  const third = await world.start(everyPod, paceOfFew);
  await until('it watches', () => third.kinds().includes('watching'));
  expect([...sentBy(second), ...sentBy(third)].toSorted()).toEqual(
    names.map((name) => `${name} gone`),
  );
});
