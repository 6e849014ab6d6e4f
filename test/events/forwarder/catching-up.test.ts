import { describe, expect, it, onTestFinished } from 'vitest';
import { sayCaughtUp } from '#events/forwarder/catching-up.ts';
import { followedFrom, type Subscription } from '#events/forwarder/followed.ts';
import type { Stream } from '#events/forwarder/ports.ts';
import type { Writer } from '#events/forwarder/writer.ts';
import { type Kind, namespaces, pods } from '#shared/domain/kind.ts';
import { type Forwarding, forwarding, subscribed, until } from '#test/support/forwarding.ts';

const sets = subscribed({ of: namespaces, wakes: { all: pods } });

type Version = Stream['version'];
type Asked = { readonly real: Version; readonly times: number };

/** A forwarder of namespaces and pods, and how often the version of pods was asked for beside its watch. */
async function started({
  answer = ({ real }) => real,
  subscriptions = [sets],
}: {
  readonly answer?: (asked: Asked) => Version;
  readonly subscriptions?: readonly Subscription[];
}) {
  const asked = { times: 0 };
  const at = await forwarding({
    streamOver: (stream) => ({
      ...stream,
      version(scope, signal) {
        const isPods = scope.kind.resource === 'pods';
        if (isPods) asked.times += 1;
        const version = isPods
          ? answer({ real: stream.version, times: asked.times })
          : stream.version;
        return version(scope, signal);
      },
    }),
  });
  onTestFinished(() => at.close());
  const one = await at.start([], { caughtUpMs: 10 });
  const follow = (of: readonly Subscription[]) =>
    one.followAll(followedFrom(of, [{ kind: pods }, { kind: namespaces }]));
  await follow(subscriptions);
  await until('both', () => one.kinds().filter((kind) => kind === 'watching').length >= 2);
  return { at, one, asked, follow };
}

const caughtUp = ({ shelf }: Forwarding, { resource }: Kind = pods) =>
  shelf.watches.get(`default ${resource}`)?.caughtUpAtMs ?? 0;

const pod = (name: string) => ({
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: { name, namespace: 'team-a' },
  spec: { containers: [{ name: 'c', image: 'x' }] },
});

describe('a kind that sets are of', () => {
  it('says again and again how far it reaches, where nothing changes but bookmarks come', async () => {
    const { at } = await started({});
    await until('it is said', () => caughtUp(at) > 0);
    const first = caughtUp(at);
    await until('it is said again', () => caughtUp(at) > first);
    expect(caughtUp(at, namespaces)).toBe(0);
  });

  it('is asked for as soon as somebody has sets of it, and no other one is', async () => {
    const { at, one, asked, follow } = await started({ subscriptions: [] });
    await until('bookmarks', () => one.kinds().filter((kind) => kind === 'heard').length > 4);
    expect([asked.times, caughtUp(at)]).toEqual([0, 0]);
    await follow([sets]);
    await until('it is said', () => caughtUp(at) > 0);
  });

  it('goes on while nobody answers how far the cluster is', async () => {
    const never = new Promise<never>(() => undefined);
    const { at, asked } = await started({ answer: () => () => never });
    await until('it is asked', () => asked.times > 0);
    at.cluster.objects.create(pods, pod('web'));
    await until('it is mirrored', () => at.rows().some(({ name }) => name === 'web'));
    expect(caughtUp(at)).toBe(0);
  });

  it.each<[string, Version]>([
    ['is away', () => Promise.reject(new Error('no answer'))],
    ['refuses', async () => ({ kind: 'busy', why: 'HTTP 429', afterSeconds: undefined })],
    ['lags behind its watch', async () => ({ kind: 'version', resourceVersion: '1' })],
  ])('asks a server again that %s, and its watch goes on', async (_, first) => {
    const { at, one, asked } = await started({
      answer: ({ real, times }) => (times <= 3 ? first : real),
    });
    await until('it is asked again', () => asked.times >= 3);
    expect(caughtUp(at)).toBe(0);
    await until('it is said', () => caughtUp(at) > 0);
    expect(one.kinds().filter((kind) => kind === 'watch-ended' || kind === 'failed')).toEqual([]);
  });

  it('of a server whose versions have no order says it with the next word of its watch', async () => {
    const { at } = await started({
      answer: () => async () => ({ kind: 'version', resourceVersion: 'e5f1' }),
    });
    await until('it is said', () => caughtUp(at) > 0);
  });

  it('says nothing until its cursor has come to what the cluster had', async () => {
    const { at, one, asked } = await started({
      answer: () => async () => ({ kind: 'version', resourceVersion: '1000000' }),
    });
    await until('it is asked', () => asked.times > 0);
    const heard = () => one.kinds().filter((kind) => kind === 'heard').length;
    const before = heard();
    await until('bookmarks', () => heard() > before + 4);
    expect([asked.times, caughtUp(at)]).toEqual([1, 0]);
  });

  it('forgets what it asked of a history that is over', async () => {
    const memory = {
      mark: { atMs: 1, epoch: 1, resourceVersion: '7' },
      nextMarkAt: Number.POSITIVE_INFINITY,
    };
    const store = { transact: () => expect.unreachable('it is said') };
    const world = { now: () => 0, store };
    const writer = { world, memory, followed: { isOfSets: true } } as unknown as Writer;
    const cursor = { epoch: 2, generation: 1, at: { resourceVersion: '9' } };
    expect(await sayCaughtUp(cursor, writer)).toBe('on');
    expect(memory.mark).toBeUndefined();
  });
});
