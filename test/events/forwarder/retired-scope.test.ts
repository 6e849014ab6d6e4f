import { afterEach, describe, expect, it } from 'vitest';
import { followedFrom, type Subscription } from '#events/forwarder/followed.ts';
import { openForwarder } from '#events/forwarder/forwarder.ts';
import type { Store, Stream } from '#events/forwarder/ports.ts';
import type { Told } from '#events/forwarder/told.ts';
import type { Outgoing } from '#events/queue.ts';
import { type FakeCluster, fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { mirrorShelf } from '#infra/emulator/testing/mirror/shelf.ts';
import { storeInMemory } from '#infra/emulator/testing/store-in-memory.ts';
import { openSession } from '#shared/adapters/cluster/login.ts';
import { openStream } from '#shared/adapters/cluster/stream.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { retireScopes } from '#shared/adapters/database/sweep.ts';
import { pods } from '#shared/domain/kind.ts';
import { pause } from '#shared/runtime/worker/pause.ts';
import { hastily, subscribed } from '#test/support/forwarding.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';

const cluster = 'main';
const patienceMs = 20_000;

type Database = {
  readonly store: Store;
  /** As the sweep does, but for one of them; fails while somebody still holds it. */
  retire(scope: string): Promise<void>;
  close(): Promise<unknown>;
};
type Open = (sent: Outgoing[]) => Promise<Database>;

const inMemory: Open = async (sent) => {
  const shelf = mirrorShelf();
  const send = async (messages: readonly Outgoing[]) => void sent.push(...messages);
  const open = () => ({ send, commit: () => undefined, rollback: () => undefined });
  return {
    store: storeInMemory({ shelf, cluster, now: Date.now, open }),
    async retire(scope) {
      for (const [key, watch] of shelf.watches) {
        if (watch.scope === scope) shelf.watches.set(key, { ...watch, isRetired: true });
      }
    },
    close: async () => undefined,
  };
};

const onPostgres: Open = async (sent) => {
  const { url, drop } = await freshDatabase();
  const sql = postgres(url, { max: 6, onnotice: () => undefined });
  const send = async (messages: readonly Outgoing[]) => void sent.push(...messages);
  return {
    store: storeOn<Outgoing>(sql, { cluster, sender: () => ({ send }) }),
    async retire(scope) {
      const all = await sql<{ scope: string }[]>`select scope from watches`;
      const followed = all.map((each) => each.scope).filter((each) => each !== scope);
      expect(await retireScopes(sql, { cluster, followed })).toEqual([scope]);
    },
    async close() {
      await sql.end();
      await drop();
    },
  };
};

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

function create(api: FakeCluster, namespace: string, name: string): void {
  api.objects.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: { containers: [{ name: 'main', image: 'nginx' }] },
  });
}

const inX = subscribed({ of: pods, namespace: 'x' }, 'a');
const inY = subscribed({ of: pods, namespace: 'y' }, 'b');
const everywhere = subscribed({ of: pods }, 'c');

describe.each([
  ['in memory', inMemory],
  ['on Postgres', onPostgres],
] as const)('a function that is enabled where a retired scope left its rows, %s', (_, open) => {
  it('is woken for what that scope knew', async () => {
    const world = await begin(open);
    for (const name of ['x1', 'x2']) create(world.api, 'x', name);
    create(world.api, 'y', 'y1');
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
    for (const name of ['x1', 'x2', 'x3']) create(world.api, 'x', name);
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
    create(world.api, 'x', 'x1');
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
    for (const name of ['x1', 'x2']) create(world.api, 'x', name);
    await world.follow(everywhere);
    await world.watched('pods');
    expect(world.wokenOf('c')).toEqual(['x1', 'x2']);
    expect(world.told.map(({ kind }) => kind)).not.toContain('woke-existing');
  }, 30_000);
});
