import { expect, it } from 'vitest';
import { deepest } from '#events/forwarder/seen.ts';
import type { Json, JsonObject } from '#shared/domain/json.ts';
import { pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Line } from '#shared/domain/watched.ts';
import { subscribed, until } from '#test/support/forwarding.ts';
import {
  create,
  everyPlace,
  inMemory,
  mirrored,
  type Oddity,
  type Place,
  type Started,
  saying,
} from './odd-places.ts';

const everywhere = everyPlace();

function nested(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

const spec = (value: Json) => (object: KubeObject) => ({ ...object, spec: value as JsonObject });
const metadata = (changed: JsonObject) => (object: KubeObject) => ({
  ...object,
  metadata: { ...object.metadata, ...changed },
});

const tooDeep = spec(nested(5_000));
const deep: readonly (readonly [string, Oddity['of']])[] = [
  ['a spec of 5,000 levels', tooDeep],
  ['a spec of 3,000 levels', spec(nested(3_000))],
  ['a spec one level beyond the bound', spec(nested(deepest))],
];
const elsewhere: readonly (readonly [string, Oddity['of']])[] = [
  ['a name of 6,000 characters', metadata({ name: noise(6_000) })],
  ['a NUL in its name', metadata({ name: 'odd\0' })],
  ['half a character in its name', metadata({ name: 'odd\ud800' })],
  ['a NUL in its namespace', metadata({ namespace: 'default\0' })],
  ['a uid of 3,000 characters', metadata({ uid: noise(3_000) })],
  ['a number for its namespace', metadata({ namespace: 5 })],
  ['a list for its name', metadata({ name: ['odd'] })],
  ['a NUL in its uid', metadata({ uid: 'u\0' })],
];

/** That no compression makes shorter. */
function noise(length: number): string {
  let seed = 1;
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return (seed % 36).toString(36);
  };
  return Array.from({ length }, next).join('');
}

const at = (name: string) => ({ namespace: 'default', name });
const changing = subscribed({ of: pods, changed: ['/spec'] });

async function watching(place: Place) {
  const one = await place.start([changing]);
  await until('it watches', () => one.kinds().includes('watching'));
  return one;
}

const lists = ({ kinds }: Started) => kinds().filter((kind) => kind === 'listed').length;
const sorted = async (place: Place) => (await place.names()).toSorted();
const wakes = async (place: Place) =>
  (await place.woken()).map(({ name, deleted }) => `${name}${deleted ? ' gone' : ''}`).toSorted();

function expectToldOf({ told }: Started): void {
  const why = expect.stringMatching(/is passed over: it/);
  expect(told).toContainEqual(expect.objectContaining({ kind: 'refused-line', why }));
  expect(told.filter(({ kind }) => kind === 'failed')).toEqual([]);
}

it.each(everywhere([...deep, ...elsewhere]))(
  '%s, a line with %s holds nobody up, from its beginning to its end',
  async (_, __, of, open) => {
    const place = await open(saying({ isOdd: true, of }, 'stream'));
    const one = await watching(place);
    create(place.cluster, 'odd');
    create(place.cluster, 'web');
    await mirrored(place, 'web');
    place.cluster.objects.patch(pods, at('odd'), { metadata: { labels: { a: 'b' } } });
    place.cluster.objects.delete(pods, at('odd'));
    create(place.cluster, 'next');
    await mirrored(place, 'next');
    expect(await sorted(place)).toEqual(['next', 'web']);
    expect(await wakes(place)).toEqual(['next', 'web']);
    expectToldOf(one);
  },
);

it.each(
  everywhere(
    (['pages', 'stream'] as const).flatMap((how) =>
      [...deep, ...elsewhere].map((each) => [how, ...each] as const),
    ),
  ),
)('%s, in a list by %s one with %s holds nobody up', async (_, how, __, of, open) => {
  const place = await open(saying({ isOdd: true, of }, how));
  for (const name of ['odd', 'web']) create(place.cluster, name);
  const one = await watching(place);
  expect(await sorted(place)).toEqual(['web']);
  expectToldOf(one);
});

it.each(everywhere(deep))(
  '%s, whoever gets %s keeps its row, and its end is told',
  async (_, __, of, open) => {
    const oddity = { isOdd: false, of };
    const place = await open(saying(oddity, 'pages'));
    create(place.cluster, 'odd');
    const one = await watching(place);
    await wakes(place);
    oddity.isOdd = true;
    place.cluster.objects.patch(pods, at('odd'), { spec: { a: 1 } });
    create(place.cluster, 'web');
    await mirrored(place, 'web');
    place.cluster.faults.gone('status', { resource: 'pods', times: 1 });
    place.cluster.faults.cutWatches('pods');
    create(place.cluster, 'next');
    await mirrored(place, 'next');
    await until('it is listed', () => lists(one) === 2);
    expect(await sorted(place)).toEqual(['next', 'odd', 'web']);
    expect(await wakes(place)).toEqual(['next', 'web']);

    place.cluster.objects.delete(pods, at('odd'));
    await until('it is gone', async () => !(await place.names()).includes('odd'));
    expect(await wakes(place)).toEqual(['odd gone']);
    expectToldOf(one);
  },
);

it('whoever has its name from one that was kept ends that one, by a list too', async () => {
  const oddity = { isOdd: false, of: tooDeep };
  const place = await inMemory(saying(oddity, 'pages'));
  create(place.cluster, 'odd');
  await (await watching(place)).stop();
  await wakes(place);
  oddity.isOdd = true;
  place.cluster.objects.delete(pods, at('odd'));
  create(place.cluster, 'odd');
  place.cluster.faults.gone('status', { resource: 'pods', times: 1 });
  const next = await watching(place);
  expect(lists(next)).toBe(1);
  expect(await place.names()).toEqual([]);
  expect(await wakes(place)).toEqual(['odd gone']);
});

it('an object that nobody can keep is not lost, however often an audit misses it', async () => {
  const place = await inMemory(saying({ isOdd: true, of: tooDeep }, 'stream'));
  create(place.cluster, 'odd');
  const one = await place.start([changing], { auditMs: 20 });
  const audits = () => one.kinds().filter((kind) => kind === 'audited').length;
  await until('four audits', () => audits() >= 4);
  expect(one.kinds()).not.toContain('lost');
});

it('one that is too deep is passed over as well where its line was too long, and it is read by itself', async () => {
  const place = await inMemory(saying({ isOdd: true, of: tooDeep }, 'stream'));
  const one = await watching(place);
  create(place.cluster, 'odd', { data: 'x'.repeat(100_000) });
  create(place.cluster, 'web');
  await mirrored(place, 'web');
  expect(await sorted(place)).toEqual(['web']);
  expectToldOf(one);
});

it('nobody is asked for one whose line was too long and whose name is as well', async () => {
  const name = noise(5_000);
  const named = { namespace: 'default', name, bytes: 9_000_000 };
  const asked: string[] = [];
  let lines: readonly Line[] = [{ kind: 'oversized', ...named }];
  const place = await inMemory((stream) => ({
    ...stream,
    async find(scope, whom, signal) {
      asked.push(whom.name);
      return stream.find(scope, whom, signal);
    },
    async watch(scope, options) {
      const opened = await stream.watch(scope, options);
      if (opened.kind !== 'open') return opened;
      const next = async () => {
        const first = lines;
        lines = [];
        return first.length > 0 ? first : opened.next();
      };
      return { ...opened, next };
    },
  }));
  const one = await watching(place);
  create(place.cluster, 'web');
  await mirrored(place, 'web');
  expect(asked).toEqual([]);
  expectToldOf(one);
});

it('whoever leaves a selector and is too deep by then keeps its row, and its end is told', async () => {
  const oddity = { isOdd: false, of: tooDeep };
  const place = await inMemory(saying(oddity, 'pages'));
  const labelled = { metadata: { labels: { app: 'odd' } } };
  for (const name of ['odd', 'web']) create(place.cluster, name, {}, labelled.metadata);
  const watch = { of: pods, labels: { matchLabels: { app: 'odd' } }, atServer: true };
  const one = await place.start([subscribed(watch)]);
  await until('it watches', () => one.kinds().includes('watching'));
  await wakes(place);
  oddity.isOdd = true;
  place.cluster.objects.patch(pods, at('odd'), { metadata: { labels: { app: 'other' } } });
  place.cluster.objects.patch(pods, at('odd'), labelled);
  create(place.cluster, 'next', {}, labelled.metadata);
  await mirrored(place, 'next');
  expect(await sorted(place)).toEqual(['next', 'odd', 'web']);
  expect(await wakes(place)).toEqual(['next']);

  place.cluster.objects.delete(pods, at('odd'));
  await until('it is gone', async () => !(await place.names()).includes('odd'));
  expect(await wakes(place)).toEqual(['odd gone']);
  expectToldOf(one);
});
