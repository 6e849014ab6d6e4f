import { afterEach, describe, expect, it } from 'vitest';
import { followedFrom, type Subscription } from '#events/forwarder/followed.ts';
import { type Forwarder, openForwarder } from '#events/forwarder/forwarder.ts';
import type { Told } from '#events/forwarder/told.ts';
import type { Outgoing } from '#events/queue.ts';
import { type FakeCluster, fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
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
  const api: FakeCluster = await fakeCluster({ bookmarkMs: 50 });
  const database = await open(sent);
  const session = await openSession({ kind: 'kubeconfig-text', text: api.kubeconfig });
  closing.push(api.close, database.close, session.close);
  return {
    api,
    database,
    /** A replica with a configuration of its own. */
    async replica(holder: string, ...subscriptions: readonly Subscription[]) {
      const told: Told[] = [];
      const forwarder: Forwarder = openForwarder({
        ...{ cluster, holder, now: Date.now, random: Math.random, pause },
        pace: { ...hastily, leaseMs: 2_000 },
        stream: openStream({ session }),
        store: database.store,
        tell: (each) => void told.push(each),
      });
      closing.push(forwarder.stop);
      await forwarder.set(followedFrom(subscriptions));
      const hears = (kind: Told['kind'], scope: string) =>
        until(
          async () =>
            told.some((each) => each.kind === kind && 'scope' in each && each.scope === scope),
          patienceMs,
        );
      return { told, stop: forwarder.stop, hears };
    },
    /** What a function was told of an object. */
    wokenOf: (functionName: string, name: string) =>
      sent
        .filter((each) => each.function === functionName)
        .filter(({ body }) => JSON.parse(body).name === name)
        .map(({ eventId }) => eventId.split('/').at(-1)),
  };
}

type World = Awaited<ReturnType<typeof begin>>;

function relabel({ api }: World, namespace: string, name: string, app: string): void {
  api.objects.patch(pods, { namespace, name }, { metadata: { labels: { app } } });
}

const narrow = subscribed({ of: pods, namespace: 'x' }, 'look');
const wide = subscribed({ of: pods }, 'look');
const otherHalf = subscribed({ of: pods, namespace: 'y' }, 'look');
const wideChanges = subscribed({ of: pods, on: ['modified'] }, 'changes');
const otherChanges = subscribed({ of: pods, namespace: 'y', on: ['modified'] }, 'changes');

describe.each(databases)('replicas of two configurations side by side, %s', (_, open) => {
  it('leave each row to the younger one, which alone tells what happens', async () => {
    const world = await begin(open);
    createPod(world.api, 'x', 'x1');
    createPod(world.api, 'y', 'y1');
    const old = await world.replica('old', narrow);
    await old.hears('watching', 'pods/x');
    const young = await world.replica('young', wide, wideChanges);
    await young.hears('watching', 'pods');
    await old.hears('standing-by', 'pods/x');

    const before = world.wokenOf('changes', 'x1').length;
    relabel(world, 'x', 'x1', 'web');
    await until(async () => world.wokenOf('changes', 'x1').length > before, patienceMs);
    expect(world.wokenOf('changes', 'x1').slice(before)).toEqual(['modified']);
    const rows = await world.database.rows();
    expect(rows.map(({ name, scope }) => `${name} of ${scope}`).toSorted()).toEqual([
      'x1 of pods',
      'y1 of pods',
    ]);
    expect(young.told.map(({ kind }) => kind)).not.toContain('fenced');
  }, 30_000);

  it('tell what was deleted between the end of one and the beginning of the other', async () => {
    const world = await begin(open);
    createPod(world.api, 'x', 'x1');
    createPod(world.api, 'x', 'x2');
    const old = await world.replica('old', narrow);
    await old.hears('watching', 'pods/x');
    await old.stop();
    world.api.objects.delete(pods, { namespace: 'x', name: 'x1' });

    const young = await world.replica('young', wide);
    await young.hears('watching', 'pods');
    expect(world.wokenOf('look', 'x1').at(-1)).toBe('deleted');
    expect(await world.database.rows()).toMatchObject([
      { name: 'x1', isDeleted: true },
      { name: 'x2', scope: 'pods', isDeleted: false },
    ]);
  }, 30_000);

  it('lose nothing where one scope becomes two: neither deletions nor what was before', async () => {
    const world = await begin(open);
    createPod(world.api, 'x', 'x1');
    for (const name of ['y1', 'y2']) createPod(world.api, 'y', name);
    const old = await world.replica('old', wide);
    await old.hears('watching', 'pods');
    await old.stop();
    world.api.objects.delete(pods, { namespace: 'y', name: 'y1' });
    relabel(world, 'y', 'y2', 'web');

    const first = await world.replica('first', narrow);
    await first.hears('watching', 'pods/x');
    const second = await world.replica('second', otherHalf, otherChanges);
    await second.hears('watching', 'pods/y');
    expect(world.wokenOf('look', 'y1').at(-1)).toBe('deleted');
    expect(world.wokenOf('look', 'y2')).toContain('modified');
    expect(world.wokenOf('changes', 'y2')).toContain('modified');
    expect(await world.database.rows()).toMatchObject([
      { name: 'x1', scope: 'pods/x', isDeleted: false },
      { name: 'y1', scope: 'pods/y', isDeleted: true },
      { name: 'y2', scope: 'pods/y', isDeleted: false },
    ]);
  }, 30_000);

  it('go back to the older one when the younger one ends, and nothing is lost between', async () => {
    const world = await begin(open);
    createPod(world.api, 'x', 'x1');
    createPod(world.api, 'x', 'x2');
    const old = await world.replica('old', narrow);
    await old.hears('watching', 'pods/x');
    const young = await world.replica('young', wide);
    await young.hears('watching', 'pods');
    await old.hears('standing-by', 'pods/x');

    old.told.length = 0;
    await young.stop();
    world.api.objects.delete(pods, { namespace: 'x', name: 'x1' });
    relabel(world, 'x', 'x2', 'web');
    await old.hears('watching', 'pods/x');
    expect(world.wokenOf('look', 'x1').at(-1)).toBe('deleted');
    expect(world.wokenOf('look', 'x2')).toContain('modified');
  }, 30_000);
});
