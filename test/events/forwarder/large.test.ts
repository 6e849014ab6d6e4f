import { expect, it, onTestFinished } from 'vitest';
import type { Stream } from '#events/forwarder/ports.ts';
import type { FakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { type Forwarding, forwarding, subscribed, until } from '#test/support/forwarding.ts';

/** What a page, a line and an answer about one object may be long at most. */
const limits = { maxPageBytes: 20_000, maxLineBytes: 20_000, maxObjectBytes: 60_000 };
const home = { namespace: 'default' };

function put({ objects }: FakeCluster, name: string, bytes: number): void {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...home } };
  const data = { x: 'x'.repeat(bytes) };
  if (objects.find(configMaps, { name, ...home }) === undefined) {
    objects.create(configMaps, { ...object, data });
  } else objects.patch(configMaps, { name, ...home }, { data });
}

const byPages = (stream: Stream): Stream => ({
  ...stream,
  async watch(scope, options) {
    if (options.resourceVersion !== undefined) return stream.watch(scope, options);
    return { kind: 'unsupported', why: 'older' };
  },
});
const asIs = (stream: Stream): Stream => stream;

async function begin(streamOver: (stream: Stream) => Stream): Promise<Forwarding> {
  const world = await forwarding({ streamOver, limits });
  onTestFinished(world.close);
  return world;
}

const held = ({ rows }: Forwarding) =>
  rows()
    .filter(({ isDeleted }) => !isDeleted)
    .map(({ name, object }) => `${name} ${JSON.stringify(object).length > 20_000}`)
    .toSorted();

it.each([
  ['a page', byPages],
  ['a line', asIs],
])('an object larger than %s is read by itself, and holds nobody up', async (_, streamOver) => {
  const world = await begin(streamOver);
  for (const name of ['a', 'c']) put(world.cluster, name, 10);
  put(world.cluster, 'b', 30_000);
  const one = await world.start([subscribed({ of: configMaps })]);
  await until('it watches', () => one.kinds().includes('watching'));
  expect(held(world)).toEqual(['a false', 'b true', 'c false']);
  put(world.cluster, 'd', 10);
  await until('it goes on', () => held(world).includes('d false'));
});

it.each([
  ['pages', byPages],
  ['lines', asIs],
])(
  'an object larger than anything is told and passed over in %s, and not taken for deleted',
  async (_, streamOver) => {
    const world = await begin(streamOver);
    for (const name of ['a', 'b', 'c']) put(world.cluster, name, 10);
    const one = await world.start([subscribed({ of: configMaps })]);
    await until('it watches', () => one.kinds().includes('watching'));
    await world.messages();
    put(world.cluster, 'b', 100_000);
    put(world.cluster, 'd', 10);
    await until('its watch goes on', () => held(world).includes('d false'));

    world.cluster.faults.gone('status', { resource: 'configmaps', times: 1 });
    world.cluster.faults.cutWatches('configmaps');
    put(world.cluster, 'e', 10);
    await until('its list goes on', () => held(world).includes('e false'));
    expect(one.kinds().filter((kind) => kind === 'listed')).toHaveLength(2);
    expect(held(world)).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => `${name} false`));
    expect(one.told).toContainEqual({
      kind: 'refused-line',
      scope: 'configmaps',
      why: 'default/b is passed over: it is too large to be read',
    });
    const woken = (await world.messages()).map(({ body }) => JSON.parse(body).name);
    expect(woken.toSorted()).toEqual(['d', 'e']);
  },
);

const wakes = async (world: Forwarding) =>
  (await world.messages()).map(({ body }) => {
    const { name, deleted } = JSON.parse(body);
    return deleted === true ? `${name} gone` : name;
  });

it.each([
  ['pages', byPages],
  ['lines', asIs],
])('one larger than anything hides no end of whoever had its name, in %s', async (_, over) => {
  const world = await begin(over);
  for (const name of ['a', 'b']) put(world.cluster, name, 10);
  const one = await world.start([subscribed({ of: configMaps })]);
  await until('it watches', () => one.kinds().includes('watching'));
  await world.messages();
  await one.stop();
  world.cluster.objects.delete(configMaps, { name: 'b', ...home });
  put(world.cluster, 'b', 100_000);
  world.cluster.past.compact();

  const next = await world.start([subscribed({ of: configMaps })]);
  await until('it has listed again', () => next.kinds().includes('listed'));
  expect(held(world)).toEqual(['a false']);
  expect(await wakes(world)).toEqual(['b gone']);
});

it('one larger than anything hides no end that a watch with a selector tells', async () => {
  let meanwhile: (() => void) | undefined;
  const world = await begin((stream) => ({
    ...stream,
    async find(...asked) {
      meanwhile?.();
      meanwhile = undefined;
      return stream.find(...asked);
    },
  }));
  const { objects } = world.cluster;
  const metadata = { name: 'b', ...home, labels: { app: 'web' } };
  objects.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const labels = { matchLabels: { app: 'web' } };
  const one = await world.start([subscribed({ of: configMaps, labels, atServer: true })]);
  await until('it watches', () => one.kinds().includes('watching'));
  await world.messages();
  meanwhile = () => put(world.cluster, 'b', 100_000);
  objects.delete(configMaps, { name: 'b', ...home });

  await until('it has ended', () => held(world).length === 0);
  expect(await wakes(world)).toEqual(['b gone']);
});

it('where the server reads no metadata, one larger than anything is passed over, and its row stays', async () => {
  const world = await begin((stream) => ({
    ...stream,
    async find(scope, at, signal) {
      if (scope.metadataOnly === true) return { kind: 'unsupported', why: 'HTTP 406' };
      return stream.find(scope, at, signal);
    },
  }));
  for (const name of ['a', 'b']) put(world.cluster, name, 10);
  const one = await world.start([subscribed({ of: configMaps })]);
  await until('it watches', () => one.kinds().includes('watching'));
  put(world.cluster, 'b', 100_000);
  put(world.cluster, 'c', 10);
  await until('it goes on', () => held(world).includes('c false'));
  expect(held(world)).toEqual(['a false', 'b false', 'c false']);
});

it('where a server takes no limit, a kind larger than a page is read object by object, and nobody is taken for deleted', async () => {
  let isOneList = false;
  const world = await begin((stream) => ({
    ...byPages(stream),
    async list(scope, options) {
      const page = await stream.list(scope, options);
      if (page.kind !== 'page' || !isOneList) return page;
      return { ...page, objects: [], oversized: [...(page.oversized ?? []), ...page.objects] };
    },
  }));
  for (const name of ['a', 'b', 'c', 'd']) put(world.cluster, name, 10);
  const one = await world.start([subscribed({ of: configMaps })]);
  await until('it watches', () => one.kinds().includes('watching'));
  await one.stop();
  await world.messages();

  isOneList = true;
  world.cluster.objects.delete(configMaps, { name: 'a', ...home });
  put(world.cluster, 'b', 100_000);
  world.cluster.past.compact();
  const next = await world.start([subscribed({ of: configMaps })]);
  await until('it has listed again', () => next.kinds().includes('listed'));
  expect(held(world)).toEqual(['b false', 'c false', 'd false']);
  expect(await wakes(world)).toEqual(['a gone']);
  expect(next.told).toContainEqual({ kind: 'listed', scope: 'configmaps', objects: 3, gone: 1 });
});
