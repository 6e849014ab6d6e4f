import { afterEach, describe, expect, it } from 'vitest';
import type { Subscription } from '#events/forwarder/followed.ts';
import type { Store, Stream } from '#events/forwarder/ports.ts';
import type { Pace } from '#events/forwarder/world.ts';
import { pods } from '#shared/domain/kind.ts';
import type { Line, WatchEnd, Watching } from '#shared/domain/watched.ts';
import { type Forwarding, forwarding, subscribed, until } from '#test/support/forwarding.ts';

type Over = (stream: Stream) => Partial<Stream>;
type Started = Awaited<ReturnType<Forwarding['start']>>;

const pace: Partial<Pace> = { firstBackoffMs: 1, maxBackoffMs: 5_000, pageLimit: 1 };
const waitsInARow = 6;
/** The sixth wait is of 32 ms, of which jitter takes half at most. */
const longestMs = 16;

let world: Forwarding | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

async function begin(over: Over, subscription: Subscription = subscribed({ of: pods })) {
  world = await forwarding({ streamOver: (stream) => ({ ...stream, ...over(stream) }) });
  for (const name of ['a', 'b']) create(world, name);
  return world.start([subscription], pace);
}

/** Its version. */
function create({ cluster }: Forwarding, name: string): string {
  const metadata = { name, namespace: 'default', labels: { app: 'web' } };
  const created = cluster.objects.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata });
  return String(created.version);
}

function waitsOf({ told }: Started): readonly number[] {
  return told.flatMap((each) => (each.kind === 'waiting' || each.kind === 'failed' ? each.ms : []));
}

async function backsOff(one: Started): Promise<void> {
  await until('it waits again and again', () => waitsOf(one).length >= waitsInARow);
  // On a busy machine a watch may last longer than the sixth wait, and is taken off it.
  await until('it waits for long', () => Math.max(...waitsOf(one)) >= longestMs);
}

const older: Over = (stream) => ({
  watch: async (scope, options) =>
    options.resourceVersion === undefined
      ? { kind: 'unsupported', why: 'an older server' }
      : stream.watch(scope, options),
});

type Said = readonly (readonly Line[] | WatchEnd)[];

/** Says this, and nothing after it. */
function saying(...said: Said): Watching {
  const left = [...said];
  return {
    kind: 'open',
    next: async () => left.shift() ?? { kind: 'cut', why: 'reset' },
    close: () => undefined,
  };
}

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'default', uid: 'u1', resourceVersion: '5' },
};
const added: Line = { kind: 'change', type: 'ADDED', object: pod };

function bookmark(resourceVersion: string): Line {
  return { kind: 'bookmark', resourceVersion, isInitialEnd: false };
}

describe('a list that never comes to its end', () => {
  it.each<[string, Over]>([
    [
      'is refused',
      (stream) => ({
        ...older(stream),
        list: async () => ({ kind: 'forbidden', why: 'HTTP 403' }),
      }),
    ],
    [
      'is refused for a moment each time',
      (stream) => ({
        ...older(stream),
        list: async () => ({ kind: 'busy', why: 'HTTP 503', afterSeconds: 0.001 }),
      }),
    ],
    [
      'is compacted away after its first page',
      (stream) => ({
        ...older(stream),
        list: async (scope, options) =>
          options.continue === undefined
            ? stream.list(scope, options)
            : { kind: 'expired', why: 'the continue is too old' },
      }),
    ],
    [
      'is cut in the middle of its stream, and refused as pages',
      (stream) => ({
        list: async () => ({ kind: 'forbidden', why: 'HTTP 403' }),
        watch: async (scope, options) =>
          options.resourceVersion === undefined ? saying([added]) : stream.watch(scope, options),
      }),
    ],
  ])('waits longer each time where it %s', async (_, over) => {
    await backsOff(await begin(over));
  });

  it('waits longer each time where nobody says what became of those that it does not show', async () => {
    let isRefused = false;
    const web = { of: pods, labels: { matchLabels: { app: 'web' } }, atServer: true };
    const over: Over = (stream) => ({
      ...older(stream),
      find: async (...asked) =>
        isRefused ? { kind: 'forbidden', why: 'HTTP 403' } : stream.find(...asked),
    });
    const one = await begin(over, subscribed(web));
    await until('it watches', () => one.kinds().includes('watching'));
    one.kill();
    world?.cluster.objects.delete(pods, { namespace: 'default', name: 'a' });
    world?.cluster.past.compact();
    isRefused = true;

    const other = await world?.start([subscribed(web)], pace);
    if (other !== undefined) await backsOff(other);
  });
});

describe('a look at one object that is refused', () => {
  type Found = Awaited<ReturnType<Stream['find']>>;
  const web = { of: pods, labels: { matchLabels: { app: 'web' } }, atServer: true };

  /** Two are missing from its list, and nobody says what became of them. */
  async function refusing(answer: Found) {
    let isRefusing = false;
    let looks = 0;
    const one = await begin(
      (stream) => ({
        ...older(stream),
        async find(...asked) {
          if (!isRefusing) return stream.find(...asked);
          looks += 1;
          return answer;
        },
      }),
      subscribed(web),
    );
    await until('it watches', () => one.kinds().includes('watching'));
    one.kill();
    for (const name of ['a', 'b'])
      world?.cluster.objects.delete(pods, { namespace: 'default', name });
    world?.cluster.past.compact();
    isRefusing = true;
    const other = await world?.start([subscribed(web)], pace);
    await until('it waits', () => other?.kinds().includes('waiting') === true);
    return { other, looks: () => looks };
  }

  it('is the last one of its turn, and the server is left alone for as long as it asks', async () => {
    const { other, looks } = await refusing({ kind: 'busy', why: 'HTTP 429', afterSeconds: 30 });
    expect(looks()).toBe(1);
    expect(other?.told).toContainEqual(
      expect.objectContaining({ kind: 'waiting', why: expect.stringContaining('HTTP 429') }),
    );
    expect(other === undefined ? [] : waitsOf(other)).toEqual([expect.closeTo(30_000, -3)]);
  });

  it('is told where it is for want of a right', async () => {
    const { other } = await refusing({ kind: 'forbidden', why: 'HTTP 403' });
    expect(other?.kinds()).toContain('forbidden');
  });
});

describe('a watch that ends at once and has given nothing', () => {
  /** Of a server with streaming lists: the watch that one leaves open ends so as well. */
  const ending = (...said: Said): Over => speaking(() => said);
  const speaking =
    (say: (from: string) => Said): Over =>
    (stream) => ({
      ...older(stream),
      watch: async (_, options) =>
        options.resourceVersion === undefined
          ? { kind: 'unsupported', why: 'an older server' }
          : saying(...say(options.resourceVersion)),
    });

  it.each<[string, Over]>([
    ['cut', ending({ kind: 'cut', why: 'reset' })],
    ['taken for dead', ending({ kind: 'idle' })],
    ['answered with a 410 on the way', ending({ kind: 'expired', why: 'ERROR 410' })],
    ['of one line that cannot be read', ending([{ kind: 'garbled', why: 'no JSON' }])],
    ['cut after a bookmark that says nothing new', speaking((from) => [[bookmark(from)]])],
    [
      'closed after a bookmark that says nothing new',
      speaking((from) => [[bookmark(from)], { kind: 'closed' }]),
    ],
    [
      'answered with a 410 after a bookmark that says nothing new',
      speaking((from) => [[bookmark(from)], { kind: 'expired', why: 'ERROR 410' }]),
    ],
    ['cut after what was known before', ending([added])],
    [
      'cut after an object whose line is too long each time',
      ending([{ kind: 'oversized', namespace: 'default', name: 'a', bytes: 100_000 }]),
    ],
    [
      'answered with a 410',
      (stream) => ({
        ...older(stream),
        watch: async (_, options) =>
          options.resourceVersion === undefined
            ? { kind: 'unsupported', why: 'an older server' }
            : { kind: 'expired', why: 'HTTP 410' },
      }),
    ],
  ])('is begun again after a longer wait each time where it is %s', async (_, over) => {
    await backsOff(await begin(over));
  });

  it('is begun again after a short wait once one has given something', async () => {
    let watches = 0;
    const over: Over = (stream) => ({
      ...older(stream),
      async watch(_, options) {
        if (options.resourceVersion === undefined) return { kind: 'unsupported', why: 'older' };
        watches += 1;
        return watches % 4 === 0 ? news(`new-${watches}`) : saying();
      },
    });
    const news = (name: string): Watching => {
      if (world === undefined) throw new Error('it has no world yet');
      return saying([bookmark(create(world, name))]);
    };
    const one = await begin(over);
    await until('it waits again and again', () => waitsOf(one).length >= 12);
    expect(Math.max(...waitsOf(one).slice(0, 12))).toBeLessThanOrEqual(8);
  });
});

describe('a replica that lags behind what another one has told', () => {
  const ahead = { kind: 'ahead', why: 'Too large resource version: 9, current: 7' } as const;

  it.each(['watch', 'version'] as const)(
    'is waited for, and nothing is listed again: asked for a %s',
    async (question) => {
      let isLagging = false;
      const lagsOnce = () => {
        const lagged = isLagging;
        isLagging = false;
        return lagged;
      };
      const one = await begin((stream) => {
        const { watch, version } = { ...stream, ...older(stream) };
        return question === 'watch'
          ? { watch: async (...asked) => (lagsOnce() ? ahead : watch(...asked)) }
          : { watch, version: async (...asked) => (lagsOnce() ? ahead : version(...asked)) };
      });
      const watches = (times: number) =>
        until(
          'it watches',
          () => one.kinds().filter((kind) => kind === 'watching').length === times,
        );
      await watches(1);
      isLagging = true;
      world?.cluster.faults.cutWatches();
      await watches(2);

      expect(one.kinds().filter((kind) => kind === 'listing')).toHaveLength(1);
      expect(one.told).toContainEqual(expect.objectContaining({ kind: 'waiting', why: ahead.why }));
    },
  );
});

describe('a refusal for want of rights is told with the wait that follows from it', () => {
  const no = { kind: 'forbidden', why: 'HTTP 403' } as const;
  /** By pages, and then a watch that ends so. */
  const watch =
    (end: Exclude<WatchEnd, { kind: 'closed' | 'idle' }>): Over =>
    () => ({
      watch: async (_, { resourceVersion }) =>
        resourceVersion === undefined ? { kind: 'unsupported', why: 'older' } : end,
    });

  it.each<[string, Over]>([
    ['of a streaming list', () => ({ watch: async () => no })],
    ['of a list', (stream) => ({ ...older(stream), list: async () => no })],
    ['of a watch', watch(no)],
    [
      'of a version',
      (stream) => ({ ...watch({ kind: 'cut', why: 'reset' })(stream), version: async () => no }),
    ],
  ])('%s', async (_, over) => {
    const one = await begin(over);
    await until('it is told', () => one.kinds().includes('forbidden'));
    await until('it waits', () => one.kinds().includes('waiting'));
    const at = one.kinds().indexOf('forbidden');
    expect(one.told.slice(at, at + 2)).toMatchObject([no, { kind: 'waiting', why: 'HTTP 403' }]);
  });
});

describe('a database that is away', () => {
  it('is asked again soon, however long it was away', async () => {
    const store = { claim: () => Promise.reject(new Error('connect ECONNREFUSED')) };
    world = await forwarding({ store: store as unknown as Store });
    const one = await world.start([subscribed({ of: pods })], { ...pace, maxAwayMs: 4 });
    await until('it asks again and again', () => waitsOf(one).length >= 4 * waitsInARow);
    expect(Math.max(...waitsOf(one))).toBeLessThanOrEqual(4);
  });
});
