import { afterEach, describe, expect, it } from 'vitest';
import { followedFrom, type Subscription } from '#events/forwarder/followed.ts';
import { openForwarder } from '#events/forwarder/forwarder.ts';
import type { Told } from '#events/forwarder/told.ts';
import type { Pace } from '#events/forwarder/world.ts';
import type { Outgoing } from '#events/queue.ts';
import { fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { openSession } from '#shared/adapters/cluster/login.ts';
import { openStream } from '#shared/adapters/cluster/stream.ts';
import { pods } from '#shared/domain/kind.ts';
import { pause } from '#shared/runtime/pause.ts';
import { hastily, subscribed } from '#test/support/forwarding.ts';
import { until } from '#test/support/until.ts';
import { cluster, createPod, databases, type Open, patienceMs } from './databases.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function begin(open: Open) {
  const sent: Outgoing[] = [];
  const api = await fakeCluster({ bookmarkMs: 20 });
  const database = await open(sent);
  const session = await openSession({ kind: 'kubeconfig-text', text: api.kubeconfig });
  closing.push(api.close, database.close, session.close);
  return {
    api,
    /** From the end of the one before on, until all that it begins with has been told. */
    async release(subscriptions: readonly Subscription[], changes: Partial<Pace> = {}) {
      const told: Told[] = [];
      const forwarder = openForwarder({
        ...{ cluster, holder: 'one', now: Date.now, random: Math.random, pause },
        pace: { ...hastily, leaseMs: 2_000, settleMs: 100, ...changes },
        stream: openStream({ session }),
        store: database.store,
        tell: (each) => void told.push(each),
      });
      closing.push(forwarder.stop);
      sent.length = 0;
      await forwarder.set(followedFrom(subscriptions));
      const isWatching = async () => told.some(({ kind }) => kind === 'watching');
      await until(isWatching, patienceMs);
      return forwarder;
    },
    /** What a function was told of an object since the release. */
    wokenOf: (functionName: string, name: string) =>
      sent
        .filter((each) => each.function === functionName)
        .filter(({ body }) => JSON.parse(body).name === name)
        .map(({ eventId }) => eventId.split('/').at(-1)),
  };
}

type World = Awaited<ReturnType<typeof begin>>;

const by = (mode: string) => subscribed({ of: pods, settings: [mode] }, 'look');
const inX = subscribed({ of: pods, namespace: 'x' }, 'look');
const inY = subscribed({ of: pods, namespace: 'y' }, 'look');
const all = subscribed({ of: pods }, 'look');

const isTold = ({ wokenOf }: World, name: string, ...types: readonly string[]) =>
  until(async () => wokenOf('look', name).join() === types.join(), patienceMs);

/** Long enough for another one. */
async function nothingMore(world: World, name: string): Promise<void> {
  const before = world.wokenOf('look', name);
  await pause(400, new AbortController().signal);
  expect(world.wokenOf('look', name)).toEqual(before);
}

describe.each(databases)('a function whose trigger is another one, %s', (_, open) => {
  it('is woken for all that exists once more, when no worker goes by the old one', async () => {
    const world = await begin(open);
    createPod(world.api, 'x', 'x1');
    const old = await world.release([by('old')]);
    await isTold(world, 'x1', 'added');
    await nothingMore(world, 'x1');
    await old.stop();

    await world.release([by('new'), subscribed({ of: pods }, 'fresh')], { settleMs: 500 });
    createPod(world.api, 'x', 'x2');
    await isTold(world, 'x1', 'existing');
    await isTold(world, 'x2', 'added');
    await isTold(world, 'x1', 'existing', 'existing');
    await isTold(world, 'x2', 'added', 'existing');
    await nothingMore(world, 'x1');
    expect(world.wokenOf('fresh', 'x1')).toEqual(['existing']);
  }, 30_000);

  it('is so where the forwarder ended in between, and where it goes back to the old one', async () => {
    const world = await begin(open);
    createPod(world.api, 'x', 'x1');
    const first = await world.release([by('old')]);
    await first.stop();
    for (const mode of ['new', 'old']) {
      const early = await world.release([by(mode)], { settleMs: 60_000 });
      await isTold(world, 'x1', 'existing');
      await early.stop();
      const late = await world.release([by(mode)]);
      await isTold(world, 'x1', 'existing');
      await nothingMore(world, 'x1');
      await late.stop();
    }
  }, 30_000);

  it.each([
    ['moved', inX, inY, 'y1', 'added'],
    ['became wider', inX, all, 'x1', 'existing'],
    ['became narrower', all, inX, 'x1', 'existing'],
  ])(
    'is so where its place %s',
    async (_, before, after, name, type) => {
      const world = await begin(open);
      createPod(world.api, 'x', 'x1');
      createPod(world.api, 'y', 'y1');
      const old = await world.release([before]);
      await old.stop();
      await world.release([after]);
      await until(async () => world.wokenOf('look', name).at(-1) === 'existing', patienceMs);
      await until(async () => world.wokenOf('look', name).length >= 2, patienceMs);
      expect(world.wokenOf('look', name)[0]).toBe(type);
    },
    30_000,
  );

  it('is not where no worker is ever behind', async () => {
    const world = await begin(open);
    createPod(world.api, 'x', 'x1');
    const old = await world.release([by('old')], { settleMs: 0 });
    await old.stop();
    await world.release([by('new')], { settleMs: 0 });
    await isTold(world, 'x1', 'existing');
    await nothingMore(world, 'x1');
  }, 30_000);
});
