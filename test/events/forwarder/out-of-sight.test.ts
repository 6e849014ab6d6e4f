import { afterEach, describe, expect, it } from 'vitest';
import type { Stream } from '#events/forwarder/ports.ts';
import type { Told } from '#events/forwarder/told.ts';
import { rowKey } from '#infra/emulator/testing/mirror/shelf.ts';
import { pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Row } from '#shared/domain/mirrored.ts';
import type { Refused } from '#shared/domain/watched.ts';
import { type Forwarding, forwarding, subscribed } from '#test/support/forwarding.ts';
import { until } from '#test/support/until.ts';
import { patienceMs } from './databases.ts';

const crowd = 600;
const web = { of: pods, labels: { matchLabels: { app: 'web' } }, atServer: true } as const;

let world: Forwarding | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

/**
 * Everything was followed, and then only what has a label. Most of what was known is gone by now; counts who is asked for
 * by itself.
 */
async function narrowed({ answer = nobody, departed = crowd, over = as }: Narrowing = {}) {
  const asked = { finds: 0, wide: 0 };
  let isCounted = false;
  const streamOver = (stream: Stream): Stream => ({
    ...stream,
    async list(scope, options) {
      if (!isCounted || scope.labels !== undefined) return stream.list(scope, options);
      asked.wide += 1;
      return answer() ?? stream.list(scope, options);
    },
    async find(scope, at, signal) {
      asked.finds += 1;
      return at.name.startsWith('departed') ? { kind: 'none' } : stream.find(scope, at, signal);
    },
  });
  world = await forwarding({ streamOver: (stream) => streamOver(over(stream)) });
  for (let at = 0; at < 10; at += 1) create(world, `pod-${at}`, at < 2 ? 'web' : 'other');
  const one = await world.start([subscribed({ of: pods })]);
  await hears(one, 'watching');
  await one.stop();
  await world.messages();
  depart(world, departed);
  isCounted = true;
  return { world, asked };
}

type Narrowing = {
  readonly answer?: () => Refused | undefined;
  readonly departed?: number;
  readonly over?: (stream: Stream) => Stream;
};

const as = (stream: Stream) => stream;
const nobody = () => undefined;
const expired = () => ({ kind: 'expired', why: 'the continue is too old' }) as const;
const forbidden = () => ({ kind: 'forbidden', why: 'HTTP 403' }) as const;

/** Rows whose objects are gone, as if somebody had mirrored them. */
function depart({ shelf }: Forwarding, count: number): void {
  const like = [...shelf.rows.values()].at(-1);
  if (like === undefined) throw new Error('nothing was mirrored');
  for (let at = 0; at < count; at += 1) {
    const [uid, name] = [`departed-${at}`, `departed-${at}`];
    const metadata = { ...like.row.object.metadata, uid, name };
    const row = { ...like.row, uid, name, object: { ...like.row.object, metadata } };
    shelf.rows.set(rowKey(like, uid), { ...like, row });
  }
}

function create({ cluster }: Forwarding, name: string, app: string): void {
  const metadata = { name, namespace: 'default', labels: { app } };
  cluster.objects.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata });
}

/** `web`, or `web gone`. */
async function told({ messages }: Forwarding): Promise<readonly string[]> {
  const bodies = (await messages()).map(({ body }) => JSON.parse(body));
  return bodies.map(({ name, deleted }) => (deleted === true ? `${name} gone` : name)).toSorted();
}

type Started = Awaited<ReturnType<Forwarding['start']>>;

function hears(one: Started, kind: Told['kind']): Promise<number> {
  return until(async () => one.kinds().includes(kind), patienceMs);
}

function isWebPod8({ name, object }: Row): boolean {
  return name === 'pod-8' && object.metadata.labels?.['app'] === 'web';
}

function alive({ rows }: Forwarding): readonly string[] {
  return rows().flatMap(({ isDeleted, name }) => (isDeleted ? [] : [name]));
}

describe('a list with a selector that shows few of those that were known', () => {
  it('finds the others by one list without it, and tells who is gone and who only left', async () => {
    const { world, asked } = await narrowed();
    const at = (name: string) => ({ namespace: 'default', name });
    world.cluster.objects.delete(pods, at('pod-1'));
    world.cluster.objects.delete(pods, at('pod-7'));
    world.cluster.objects.patch(pods, at('pod-0'), { metadata: { labels: { app: 'other' } } });
    world.cluster.objects.patch(pods, at('pod-9'), { metadata: { labels: { app: 'web' } } });

    const other = await world.start([subscribed(web)]);
    await hears(other, 'watching');
    expect(asked).toEqual({ finds: 0, wide: 1 });
    expect(alive(world)).toEqual(['pod-9']);
    // Whose end nobody with this selector waits for is not told.
    expect(await told(world)).toEqual(['pod-0', 'pod-1 gone', 'pod-9']);
  });

  it('keeps who came back in sight since', async () => {
    const answer = () => {
      const at = { namespace: 'default', name: 'pod-8' };
      world?.cluster.objects.patch(pods, at, { metadata: { labels: { app: 'web' } } });
      return undefined;
    };
    const { world: narrow } = await narrowed({ answer });
    const other = await narrow.start([subscribed(web)]);
    await hears(other, 'watching');
    await until(async () => narrow.rows().some(isWebPod8), patienceMs);
    expect(alive(narrow).toSorted()).toEqual(['pod-0', 'pod-1', 'pod-8']);
    expect(await told(narrow)).toContain('pod-8');
  });

  it.each<[string, number, () => Refused | undefined, { finds: number; wide: number }]>([
    ['it may not list without it', crowd, forbidden, { finds: crowd + 8, wide: 1 }],
    ['its walk is compacted away', crowd, expired, { finds: crowd + 8, wide: 1 }],
    ['they are few', 400, nobody, { finds: 408, wide: 0 }],
  ])('asks for each by itself where %s', async (_, departed, answer, expected) => {
    const { world, asked } = await narrowed({ departed, answer });
    const other = await world.start([subscribed(web)]);
    await hears(other, 'watching');
    expect(asked).toEqual(expected);
    // A sign of life with each: all of them together may take long.
    expect(other.kinds().filter((kind) => kind === 'looked')).toHaveLength(expected.finds);
    expect(alive(world)).toHaveLength(2);
    expect(other.kinds().filter((kind) => kind === 'listing')).toHaveLength(1);
  });

  it('leaves no streaming watch behind where that list shows a restore', async () => {
    const open = new Set<unknown>();
    let isBack = false;
    const { world } = await narrowed({ over: (stream) => counting(stream, open, () => isBack) });
    isBack = true;
    const other = await world.start([subscribed(web)]);
    await hears(other, 'new-epoch');
    isBack = false;
    await hears(other, 'watching');
    await until(async () => open.size <= 1, patienceMs);
    expect(open.size).toBe(1);
  });
});

/** A list without a selector shows an older state, while it is back; open are the watches of streaming lists. */
function counting(stream: Stream, open: Set<unknown>, isBack: () => boolean): Stream {
  return {
    ...stream,
    async watch(scope, options) {
      const watching = await stream.watch(scope, options);
      if (watching.kind !== 'open' || options.resourceVersion !== undefined) return watching;
      open.add(watching);
      const close = () => {
        open.delete(watching);
        watching.close();
      };
      return { ...watching, close };
    },
    async list(scope, options) {
      const page = await stream.list(scope, options);
      if (page.kind !== 'page' || scope.labels !== undefined || !isBack()) return page;
      return { ...page, objects: page.objects.map(older) };
    },
  };
}

function older(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: '1' } };
}
