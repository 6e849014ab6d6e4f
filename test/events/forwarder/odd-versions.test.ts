import { afterEach, expect, it } from 'vitest';
import type { Stream } from '#events/forwarder/ports.ts';
import { pods } from '#shared/domain/kind.ts';
import { type Forwarding, forwarding, subscribed, until } from '#test/support/forwarding.ts';

let open: Forwarding | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function begin(streamOver = (stream: Stream): Stream => stream): Promise<Forwarding> {
  open = await forwarding({ streamOver });
  create(open, 'a');
  return open;
}

function create({ cluster }: Forwarding, name: string): void {
  const metadata = { name, namespace: 'default' };
  cluster.objects.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata });
}

const everyPod = [subscribed({ of: pods })];

async function mirrored(world: Forwarding, ...names: readonly string[]): Promise<void> {
  const alive = () => world.rows().filter(({ isDeleted }) => !isDeleted);
  const held = () => alive().map(({ name }) => name);
  await until(`it holds ${names}`, () => held().toSorted().join() === names.join());
}

async function watching(of: { kinds(): readonly string[] }): Promise<void> {
  await until('it watches', () => of.kinds().includes('watching'));
}

it('a cursor that the server takes for no version is answered with a list', async () => {
  const world = await begin();
  const one = await world.start(everyPod);
  await watching(one);
  await one.stop();
  for (const [key, watch] of world.shelf.watches) {
    const cursor = { ...watch.cursor, at: { resourceVersion: 'rev-17' } };
    world.shelf.watches.set(key, { ...watch, cursor });
  }
  create(world, 'b');
  const two = await world.start(everyPod);
  await mirrored(world, 'a', 'b');
  await watching(two);
  expect(two.kinds()).toContain('listed');
});
