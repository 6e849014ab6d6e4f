import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { Store } from '#events/forwarder/ports.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { forwarding, until } from '#test/support/forwarding.ts';
import { databases } from './databases.ts';

/** A forwarder that watches, and a door before what it shares; behind each of its transactions, what that has written. */
async function begin() {
  const [[, open]] = databases as [(typeof databases)[number]];
  const { store } = await open([]);
  const written: (readonly string[])[] = [];
  let door = Promise.resolve();
  const transact: Store['transact'] = (term, work, how) =>
    store.transact(
      term,
      (transaction) =>
        work({
          ...transaction,
          write(rows) {
            written.push(rows.map(({ name }) => name));
            return transaction.write(rows);
          },
        }),
      how,
    );
  const world = await forwarding({ store: { ...store, transact, untilCompany: () => door } });
  onTestFinished(world.close);
  const { kinds, followAll } = await world.start([]);
  await followAll([{ scope: { kind: configMaps }, subscriptions: [] }]);
  await until('it watches', () => kinds().includes('watching'));
  const shut = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    door = promise;
    return resolve;
  };
  const create = (name: string, text = '') =>
    world.cluster.objects.create(configMaps, {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } },
      data: { text },
    });
  return { create, shut, written };
}

it('shares a transaction with what comes before that can begin', async () => {
  const { create, shut, written } = await begin();
  const open = shut();
  create('one');
  await pause(50);
  create('two');
  await pause(50);
  expect(written).toEqual([]);

  open();
  await until('both are written', () => written.flat().length === 2);
  expect(written).toEqual([['one', 'two']]);
});

it('waits for nobody where it goes alone', async () => {
  const { create, shut, written } = await begin();
  const open = shut();
  onTestFinished(() => open());
  create('large', 'x'.repeat(200_000));
  await until('it is written', () => written.flat().includes('large'));
});
