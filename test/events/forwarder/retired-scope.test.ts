import { afterEach, describe, expect, it } from 'vitest';
import { followedFrom, type Subscription } from '#events/forwarder/followed.ts';
import { openForwarder } from '#events/forwarder/forwarder.ts';
import type { Stream } from '#events/forwarder/ports.ts';
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

/** What happens just before the server is asked. */
type Hooks = {
  onPage(isFirst: boolean): Promise<void>;
  onFind?(): void;
};

/** With somebody who knows when a page is asked for, it is listed by pages; else as a stream. */
async function begin(open: Open, hooks?: Hooks) {
  const sent: Outgoing[] = [];
  const told: Told[] = [];
  const api: FakeCluster = await fakeCluster({ bookmarkMs: 50 });
  const database = await open(sent);
  const session = await openSession({ kind: 'kubeconfig-text', text: api.kubeconfig });
  const stream = openStream({ session });
  const forwarder = openForwarder({
    ...{ cluster, holder: 'one', now: Date.now, random: Math.random, pause },
    pace: { ...hastily, leaseMs: 5_000, pageLimit: 1 },
    stream: hooks === undefined ? stream : inPages(stream, hooks),
    store: database.store,
    tell: (each) => void told.push(each),
  });
  closing.push(api.close, database.close, session.close, forwarder.stop);
  return {
    ...{ api, database, sent, told },
    async follow(...subscriptions: readonly Subscription[]) {
      told.length = 0;
      await forwarder.set(followedFrom(subscriptions));
    },
    watched: (scope: string) =>
      until(
        async () => told.some((each) => each.kind === 'watching' && each.scope === scope),
        patienceMs,
      ),
    wokenOf: (name: string) =>
      sent
        .filter((each) => each.function === name)
        .map(({ body }) => JSON.parse(body).name as string)
        .toSorted(),
  };
}

function inPages(stream: Stream, { onPage, onFind }: Hooks): Stream {
  return {
    ...stream,
    async list(scope, options) {
      const isWhole = scope.namespace === undefined;
      if (isWhole) await onPage(options.continue === undefined);
      return stream.list(scope, options);
    },
    async find(...asked) {
      onFind?.();
      return stream.find(...asked);
    },
    watch: async (scope, options) =>
      options.resourceVersion === undefined
        ? { kind: 'unsupported', why: 'an older server' }
        : stream.watch(scope, options),
  };
}

const inX = subscribed({ of: pods, namespace: 'x' }, 'a');
const inY = subscribed({ of: pods, namespace: 'y' }, 'b');
const everywhere = subscribed({ of: pods }, 'c');

describe.each(databases)(
  'a function that is enabled where a retired scope left its rows, %s',
  (_, open) => {
    it('is woken for what that scope knew', async () => {
      const world = await begin(open);
      for (const name of ['x1', 'x2']) createPod(world.api, 'x', name);
      createPod(world.api, 'y', 'y1');
      await world.follow(inX, inY);
      await Promise.all(['pods/x', 'pods/y'].map(world.watched));
      await world.follow(inY);
      await world.database.retire('pods/x');

      await world.follow(inY, everywhere);
      await world.watched('pods');
      expect(new Set(world.wokenOf('c'))).toEqual(new Set(['x1', 'x2', 'y1']));
    }, 30_000);

    it('is woken for it also where the scope is retired in the middle of the first list', async () => {
      let retire = async () => {};
      const world = await begin(open, {
        onPage: (isFirst) => (isFirst ? Promise.resolve() : retire()),
      });
      for (const name of ['x1', 'x2', 'x3']) createPod(world.api, 'x', name);
      await world.follow(inX);
      await world.watched('pods/x');
      retire = async () => {
        retire = async () => {};
        await world.database.retire('pods/x');
      };

      await world.follow(everywhere);
      await world.watched('pods');
      expect(new Set(world.wokenOf('c'))).toEqual(new Set(['x1', 'x2', 'x3']));
    }, 30_000);

    it('is woken for what came back in sight since the first list', async () => {
      let onFind = () => {};
      const world = await begin(open, { onPage: () => Promise.resolve(), onFind: () => onFind() });
      const labelled = (app: string) =>
        world.api.objects.patch(
          pods,
          { namespace: 'x', name: 'x1' },
          { metadata: { labels: { app } } },
        );
      createPod(world.api, 'x', 'x1');
      labelled('web');
      await world.follow(inX);
      await world.watched('pods/x');
      await world.follow();
      await world.database.retire('pods/x');
      labelled('other');
      onFind = () => void labelled('web');

      const web = { of: pods, labels: { matchLabels: { app: 'web' } }, atServer: true };
      await world.follow(subscribed({ ...web, on: ['added'] }, 'c'));
      await until(async () => world.told.some(({ kind }) => kind === 'watching'), patienceMs);
      expect(world.wokenOf('c')).toEqual(['x1']);
    }, 30_000);

    it('is woken once, by the first list itself, where nobody left any', async () => {
      const world = await begin(open);
      for (const name of ['x1', 'x2']) createPod(world.api, 'x', name);
      await world.follow(everywhere);
      await world.watched('pods');
      expect(world.wokenOf('c')).toEqual(['x1', 'x2']);
      expect(world.told.map(({ kind }) => kind)).not.toContain('woke-existing');
    }, 30_000);
  },
);
