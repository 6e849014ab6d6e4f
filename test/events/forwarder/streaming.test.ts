import { afterEach, describe, expect, it } from 'vitest';
import type { Stream } from '#events/forwarder/ports.ts';
import { readStream } from '#events/forwarder/streaming.ts';
import { nothing, type Writer } from '#events/forwarder/writer.ts';
import { pods } from '#shared/domain/kind.ts';
import type { Cursor } from '#shared/domain/mirrored.ts';
import type { Line, WatchEnd, Watching } from '#shared/domain/watched.ts';
import { type Forwarding, forwarding, subscribed, until } from '#test/support/forwarding.ts';

let open: Forwarding | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

type Said = readonly Line[] | WatchEnd;

function saying(...said: readonly Said[]): Watching {
  const left = [...said];
  const end: WatchEnd = { kind: 'cut', why: 'reset' };
  return { kind: 'open', next: async () => left.shift() ?? end, close: () => undefined };
}

const garbled: Line = { kind: 'garbled', why: 'no JSON' };

describe('a server whose streaming lists never say that they are complete', () => {
  it.each<[string, Said, number]>([
    ['closed', { kind: 'closed' }, 1],
    ['silent for too long', { kind: 'idle' }, 1],
    ['ended by a line that says it knows no such list', { kind: 'unsupported', why: '400' }, 1],
    ['cut, three times in a row', { kind: 'cut', why: 'reset' }, 3],
    ['ended by a busy server, three times in a row', busy(0), 3],
    ['ended by a 410, three times in a row', { kind: 'expired', why: '410' }, 3],
    ['one that cannot be read, three times in a row', [garbled], 3],
  ])('is listed by pages once one was %s', async (_, end, expected) => {
    let streams = 0;
    const streamOver = (stream: Stream): Stream => ({
      ...stream,
      async watch(scope, options) {
        if (options.resourceVersion !== undefined) return stream.watch(scope, options);
        streams += 1;
        const page = await stream.list(scope, { limit: 100, signal: options.signal });
        // In their midst.
        const objects = page.kind === 'page' ? page.objects.slice(0, 1) : [];
        const lines = objects.map((object) => ({ kind: 'change', type: 'ADDED', object }) as const);
        return saying(lines, end);
      },
    });
    open = await forwarding({ streamOver });
    for (const name of ['a', 'b']) {
      const metadata = { name, namespace: 'default' };
      open.cluster.objects.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata });
    }
    const one = await open.start([subscribed({ of: pods })]);
    await until('it watches', () => one.kinds().includes('watching'));

    expect(streams).toBe(expected);
    expect(one.told.filter(({ kind }) => kind === 'listed')).toMatchObject([{ objects: 2 }]);
  });
});

describe('a stream of which a list cannot be made', () => {
  it.each<[string, Said]>([
    ['by a line that cannot be read', [garbled]],
    ['by its end', { kind: 'cut', why: 'reset' }],
  ])('is let go of, be it %s', async (_, said) => {
    let closed = 0;
    const close = () => {
      closed += 1;
    };
    const { read } = streaming(() => ({ ...saying(said), close }));
    await read();
    expect(closed).toBe(1);
  });
});

describe('a streaming list with a selector', () => {
  it('tells of no deletion where an object leaves its sight before the list is complete', async () => {
    const metadata = { name: 'a', namespace: 'default' };
    const labelled = (app: string) => ({ metadata: { labels: { app } } });
    const streamOver = (stream: Stream): Stream => ({
      ...stream,
      async watch(scope, options) {
        if (options.resourceVersion !== undefined) return stream.watch(scope, options);
        const found = await stream.find(scope, metadata, options.signal);
        if (found.kind !== 'found') throw new Error('it is not there');
        const { object } = found;
        const { resourceVersion = '' } = object.metadata;
        const before = { ...object.metadata, ...labelled('web').metadata, resourceVersion: '1' };
        return saying(
          [{ kind: 'change', type: 'ADDED', object: { ...object, metadata: before } }],
          [{ kind: 'change', type: 'DELETED', object: { ...object, metadata: before } }],
          [{ kind: 'bookmark', resourceVersion, isInitialEnd: true }],
        );
      },
    });
    open = await forwarding({ streamOver });
    const { cluster, rows, messages } = open;
    const made = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, labels: { app: 'db' } },
    };
    cluster.objects.create(pods, made);
    const labels = { matchLabels: { app: 'web' } };
    const one = await open.start([subscribed({ of: pods, labels, atServer: true })]);
    await until('it watches', () => one.kinds().includes('watching'));
    const told = (await messages()).map(({ body }) => JSON.parse(body).deleted);
    expect([told, rows()]).toEqual([[false], []]);

    cluster.objects.patch(pods, metadata, labelled('web'));
    await until('it is back', () => rows().length === 1);
    expect(rows()).toMatchObject([{ name: 'a', isDeleted: false }]);
  });
});

describe('a streaming list of an object that a look shows later than the lines that follow', () => {
  it('is no list of a server that went back', async () => {
    const metadata = { name: 'a', namespace: 'default' };
    const streamOver = (stream: Stream): Stream => ({
      ...stream,
      async watch(scope, options) {
        if (options.resourceVersion !== undefined) return stream.watch(scope, options);
        const found = await stream.find(scope, metadata, options.signal);
        if (found.kind !== 'found') throw new Error('it is not there');
        const { object } = found;
        const { resourceVersion = '' } = object.metadata;
        const before = { ...object, metadata: { ...object.metadata, resourceVersion: '1' } };
        return saying(
          [{ kind: 'oversized', ...metadata, bytes: 9_000_000 }],
          [{ kind: 'change', type: 'MODIFIED', object: before }],
          [{ kind: 'bookmark', resourceVersion, isInitialEnd: true }],
        );
      },
    });
    open = await forwarding({ streamOver });
    open.cluster.objects.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata });
    const one = await open.start([subscribed({ of: pods })]);
    await until('it watches', () => one.kinds().includes('watching'));

    expect(one.kinds()).not.toContain('new-epoch');
    expect(Number(open.rows()[0]?.resourceVersion)).toBeGreaterThan(1);
  });
});

function busy(afterSeconds: number): WatchEnd {
  return { kind: 'busy', why: 'HTTP 503', afterSeconds };
}

const cursor: Cursor = { epoch: 1, generation: 1, at: 'listing' };
const hourMs = 3_600_000;

/** Of a server that answers so to whoever asks for such a list. */
function streaming(answer: () => Awaited<ReturnType<Stream['watch']>>) {
  const clock = { ms: 0 };
  const writer = {
    world: {
      stream: { watch: async () => answer() },
      pace: { watchSeconds: [300, 600], idleMs: 1 },
      store: { transact: async () => ({ kind: 'committed', value: nothing }) },
      random: () => 1,
      now: () => clock.ms,
      tell: () => undefined,
    },
    followed: { scope: { kind: pods } },
    term: { scope: 'pods' },
    memory: { brokenStreams: 0, pagesUntil: 0 },
  } as unknown as Writer;
  return { clock, read: () => readStream(cursor, writer) };
}

describe('a streaming list that is not there', () => {
  it('is asked for again after an hour', async () => {
    const { clock, read } = streaming(() => saying({ kind: 'closed' }));
    const kinds: string[] = [];
    for (const ms of [0, 1, hourMs - 1, hourMs, hourMs + 1]) {
      clock.ms = ms;
      kinds.push((await read()).kind);
    }
    expect(kinds).toEqual(['wait', 'unsupported', 'unsupported', 'wait', 'unsupported']);
  });

  it('counts from the beginning after a whole one', async () => {
    const end: Line = { kind: 'bookmark', resourceVersion: '5', isInitialEnd: true };
    const ends: Watching[] = [saying(), saying(), saying([end]), saying(), saying(), saying()];
    const { read } = streaming(() => ends.shift() ?? saying());
    const kinds: string[] = [];
    for (let at = 0; at < 7; at += 1) kinds.push((await read()).kind);
    expect(kinds).toEqual([...['wait', 'wait', 'complete', 'wait', 'wait', 'wait'], 'unsupported']);
  });

  it('is waited for as long as the server asks on the way', async () => {
    const { read } = streaming(() => saying(busy(7)));
    expect(await read()).toMatchObject({ kind: 'wait', leastMs: 7_000 });
  });

  it('is begun again after a wait where the server calls it too old', async () => {
    const { read } = streaming(() => ({ kind: 'expired', why: 'HTTP 410' }));
    expect((await read()).kind).toBe('wait');
  });
});
