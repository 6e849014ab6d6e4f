import { afterEach, describe, expect, it } from 'vitest';
import { nextLimit } from '#events/forwarder/paging.ts';
import type { Stream } from '#events/forwarder/ports.ts';
import type { Pace } from '#events/forwarder/world.ts';
import { pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { type Forwarding, forwarding, subscribed, until } from '#test/support/forwarding.ts';

const kibibyte = 1024;

describe('the limit of the next page', () => {
  it.each<[string, number, number, number]>([
    ['stays where the page was exactly as large as wanted', 100, 512 * kibibyte, 100],
    ['grows by what is left of that', 100, 400 * kibibyte, 128],
    ['doubles at most, at exactly a half of that', 100, 256 * kibibyte, 200],
    ['shrinks with the bytes', 100, 1024 * kibibyte, 50],
    ['shrinks by less than one, to the whole below', 100, 512 * kibibyte + 1, 99],
    ['is never below one', 1, 8 * 1024 * kibibyte, 1],
    ['is never below one, however large the page', 3, 8 * 1024 * kibibyte, 1],
    ['doubles after a small page', 50, 128 * kibibyte - 1, 100],
    ['doubles up to the most', 200, 0, 250],
    ['is the most after a small page of the most', 250, 10, 250],
  ])('%s', (_, limit, bytes, expected) => {
    expect(nextLimit(limit, bytes, 250)).toBe(expected);
  });
});

type Asked = Parameters<Stream['list']>[1];
type Listed = Awaited<ReturnType<Stream['list']>>;

let open: Forwarding | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** A server that has no streaming lists, and may answer a page in its own way. */
async function older(
  answer: (asked: Asked) => Listed | undefined = () => undefined,
  note: (bytes: number) => void = () => undefined,
) {
  const asked: Asked[] = [];
  const streamOver = (stream: Stream): Stream => ({
    ...stream,
    list: async (scope, options) => {
      asked.push(options);
      const page = answer(options) ?? (await stream.list(scope, options));
      if (page.kind === 'page') note(page.bytes);
      return page;
    },
    watch: async (scope, options) =>
      options.resourceVersion === undefined
        ? { kind: 'unsupported', why: 'an older server' }
        : stream.watch(scope, options),
  });
  open = await forwarding({ streamOver });
  return { world: open, asked };
}

function named(name: string, note = ''): KubeObject {
  const metadata = { name, namespace: 'default', annotations: { note } };
  return { apiVersion: 'v1', kind: 'Pod', metadata };
}

const everyPod = [subscribed({ of: pods })];

/** `web`, or `web gone`. */
async function woken({ messages }: Forwarding): Promise<readonly string[]> {
  const bodies = (await messages()).map(({ body }) => JSON.parse(body));
  return bodies.map(({ name, deleted }) => (deleted === true ? `${name} gone` : name)).toSorted();
}

async function watching(of: { kinds(): readonly string[] }): Promise<void> {
  await until('it watches', () => of.kinds().includes('watching'));
}

describe('a list in pages, where the server has no streaming lists', () => {
  it('takes page after page, and goes on as a watch', async () => {
    const { world, asked } = await older();
    for (const name of ['a', 'b', 'c', 'd', 'e']) world.cluster.objects.create(pods, named(name));
    const one = await world.start(everyPod, { pageLimit: 2 });
    await watching(one);
    world.cluster.objects.create(pods, named('f'));
    await until('the watch has told', () => world.rows().length === 6);

    expect(asked.map(({ limit }) => limit)).toEqual([2, 2, 2]);
    expect(asked.map((each) => each.continue !== undefined)).toEqual([false, true, true]);
    expect(one.told).toContainEqual(expect.objectContaining({ kind: 'listed', objects: 5 }));
    expect(await woken(world)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('begins with few: how large its objects are is not known before the first page', async () => {
    const { world, asked } = await older();
    for (let at = 0; at < 100; at += 1) world.cluster.objects.create(pods, named(`pod-${at}`));
    const one = await world.start(everyPod, { pageLimit: 250 });
    await watching(one);

    expect(asked.map(({ limit }) => limit)).toEqual([32, 64, 128]);
    expect(one.told).toContainEqual(expect.objectContaining({ kind: 'listed', objects: 100 }));
  });

  it('takes pages of half a mebibyte, of middling objects too', async () => {
    const pages: number[] = [];
    const { world, asked } = await older(
      () => undefined,
      (bytes) => pages.push(bytes),
    );
    const note = 'x'.repeat(10 * kibibyte);
    for (let at = 0; at < 130; at += 1)
      world.cluster.objects.create(pods, named(`pod-${at}`, note));
    const one = await world.start(everyPod, { pageLimit: 250 });
    await watching(one);

    expect(asked).toHaveLength(3);
    expect(pages[1]).toBeGreaterThan(480 * kibibyte);
    expect(Math.max(...pages)).toBeLessThan(540 * kibibyte);
    expect(one.told).toContainEqual(expect.objectContaining({ kind: 'listed', objects: 130 }));
  });

  it('begins anew after a 410 between two pages, and tells what went away meanwhile', async () => {
    let refusals = 0;
    const { world, asked } = await older((options) => {
      if (options.continue === undefined || refusals > 0) return undefined;
      refusals += 1;
      open?.cluster.objects.delete(pods, { namespace: 'default', name: 'a' });
      return { kind: 'expired', why: 'the continue is too old' };
    });
    for (const name of ['a', 'b', 'c']) world.cluster.objects.create(pods, named(name));
    const one = await world.start(everyPod, { pageLimit: 2 });
    await watching(one);

    expect(asked.map((each) => each.continue !== undefined)).toEqual([false, true, false]);
    expect(one.kinds().filter((kind) => kind === 'listing')).toHaveLength(2);
    expect(one.told.filter(({ kind }) => kind === 'listed')).toMatchObject([
      { objects: 2, gone: 1 },
    ]);
    expect(await woken(world)).toEqual(['a', 'a gone', 'b', 'c']);
  });

  const busy = (afterSeconds?: number): Listed => ({ kind: 'busy', why: 'HTTP 429', afterSeconds });
  const times = (one: { kinds(): readonly string[] }, kind: string) =>
    one.kinds().filter((each) => each === kind).length;

  it.each([
    ['for a moment', 0.01],
    ['without a word for how long', undefined],
  ])('goes on with the page that was refused %s, and keeps those before it', async (_, seconds) => {
    let refusals = 0;
    const { world, asked } = await older((options) => {
      if (options.continue === undefined || refusals === 2) return undefined;
      refusals += 1;
      return busy(seconds);
    });
    for (const name of ['a', 'b', 'c']) world.cluster.objects.create(pods, named(name));
    const one = await world.start(everyPod, { pageLimit: 2 });
    await watching(one);

    const [first, second, ...rest] = asked.map((each) => each.continue);
    expect([first, ...rest]).toEqual([undefined, second, second]);
    expect(times(one, 'refused-page')).toBe(2);
    expect(times(one, 'listing')).toBe(1);
    expect(one.told).toContainEqual(expect.objectContaining({ kind: 'listed', objects: 3 }));
  });

  it.each<[string, Listed, number]>([
    ['again and again', busy(0.001), 5],
    ['for longer than a lease', busy(30), 0],
    ['for another reason', { kind: 'forbidden', why: 'HTTP 403' }, 0],
  ])('breaks off at a page that is refused %s, and takes nobody for gone', async (_, no, waits) => {
    let isRefused = false;
    const { world, asked } = await older(({ continue: next }) =>
      isRefused && next !== undefined ? no : undefined,
    );
    for (const name of ['a', 'b', 'c']) world.cluster.objects.create(pods, named(name));
    const first = await world.start(everyPod, { pageLimit: 2 });
    await watching(first);
    await first.stop();
    world.cluster.objects.create(pods, named('d'));
    world.cluster.past.compact();
    isRefused = true;
    asked.length = 0;
    const next = await world.start(everyPod, { pageLimit: 2 });
    await until('it waits', () => next.kinds().includes('waiting'));

    const pages = asked.map((each) => each.continue !== undefined);
    expect(pages.slice(0, waits + 2)).toEqual([false, true, ...Array(waits).fill(true)]);
    expect(next.kinds().slice(0, next.kinds().indexOf('waiting'))).not.toContain('listed');
    expect(times(next, 'refused-page')).toBe(waits);
    expect(world.rows().map(({ isDeleted }) => isDeleted)).toEqual([false, false, false]);
  });

  const brokenOff = () => {
    throw new Error('cannot list pods: no answer');
  };

  it('goes on with the page that was broken off, and keeps those before it', async () => {
    let breaks = 0;
    const { world, asked } = await older((options) => {
      if (options.continue === undefined || breaks === 2) return undefined;
      breaks += 1;
      return brokenOff();
    });
    for (const name of ['a', 'b', 'c']) world.cluster.objects.create(pods, named(name));
    const one = await world.start(everyPod, { pageLimit: 2 });
    await watching(one);

    const [first, second, ...rest] = asked.map((each) => each.continue);
    expect([first, ...rest]).toEqual([undefined, second, second]);
    expect(one.told.filter(({ kind }) => kind === 'refused-page')).toMatchObject([
      { why: 'cannot list pods: no answer' },
      { why: 'cannot list pods: no answer' },
    ]);
    expect([times(one, 'listing'), times(one, 'failed')]).toEqual([1, 0]);
    expect(await woken(world)).toEqual(['a', 'b', 'c']);
  });

  it.each<[string, object, boolean, number, Partial<Pace>?]>([
    ['again and again', {}, false, 5],
    ['and is to be left alone for longer than a lease', { afterSeconds: 30 }, false, 0],
    ['for longer than a silent watch is believed', {}, false, 0, { idleMs: 0 }],
    ['as the first one', {}, true, 0],
  ])('breaks off at a page that is broken off %s', async (_, said, isFirst, waits, pace = {}) => {
    const { world, asked } = await older((options) => {
      if ((options.continue === undefined) !== isFirst) return undefined;
      throw Object.assign(new Error('no answer'), said);
    });
    for (const name of ['a', 'b', 'c']) world.cluster.objects.create(pods, named(name));
    const one = await world.start(everyPod, { pageLimit: 2, ...pace });
    await until('it fails', () => one.kinds().includes('failed'));

    const pages = asked.map((each) => each.continue !== undefined);
    const before = isFirst ? [] : [false];
    expect(pages.slice(0, before.length + 1 + waits)).toEqual([
      ...before,
      ...Array(1 + waits).fill(!isFirst),
    ]);
    expect(times(one, 'refused-page')).toBe(waits);
  });

  it('begins anew where its continue has expired in such a wait', async () => {
    const answers: Listed[] = [busy(0.001), { kind: 'expired', why: 'the continue is too old' }];
    const { world, asked } = await older((options) =>
      options.continue === undefined ? undefined : answers.shift(),
    );
    for (const name of ['a', 'b', 'c']) world.cluster.objects.create(pods, named(name));
    const one = await world.start(everyPod, { pageLimit: 2 });
    await watching(one);
    const pages = asked.map((each) => each.continue !== undefined);
    expect(pages).toEqual([false, true, true, false, true]);
    expect(times(one, 'listing')).toBe(2);
  });
});
