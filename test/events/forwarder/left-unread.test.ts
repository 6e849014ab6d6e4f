import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store, Stream } from '#events/forwarder/ports.ts';
import { isLines } from '#events/forwarder/streaming.ts';
import { planner } from '#events/postgres-queue/connection.ts';
import { senderOn } from '#events/postgres-queue/send.ts';
import type { Outgoing } from '#events/queue.ts';
import { mirrorShelf } from '#infra/emulator/testing/mirror/shelf.ts';
import { queueInMemory } from '#infra/emulator/testing/queue-in-memory.ts';
import { storeInMemory } from '#infra/emulator/testing/store-in-memory.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { pods } from '#shared/domain/kind.ts';
import type { Watch } from '#shared/domain/watch.ts';
import { forwarding, subscribed, until } from '#test/support/forwarding.ts';
import { freshDatabase } from '#test/support/postgres.ts';

type Seen = { readonly app: string; readonly isDeleted: boolean };

/** Where the rows are, and how they are looked at. */
type Open = () => Promise<{ readonly store: Store; rows(): Promise<readonly Seen[]> }>;

const inMemory: Open = async () => {
  const shelf = mirrorShelf();
  const queue = queueInMemory({ now: Date.now, after: () => () => undefined });
  return {
    store: storeInMemory({ shelf, cluster: 'default', now: Date.now, open: queue.open }),
    rows: async () =>
      [...shelf.rows.values()].map(({ row: { object, isDeleted } }) => ({
        app: object.metadata.labels?.['app'] ?? '',
        isDeleted,
      })),
  };
};

const onPostgres: Open = async () => {
  const { url } = await freshDatabase();
  const sql = postgres(url, { max: 4, onnotice: () => undefined, connection: planner });
  onTestFinished(() => sql.end());
  return {
    store: storeOn<Outgoing>(sql, { cluster: 'default', sender: senderOn }),
    rows: () => sql<Seen[]>`
      select body->'metadata'->'labels'->>'app' as app, deleted_at is not null as "isDeleted"
      from objects`,
  };
};

type Asked = 'rows' | 'objects';

/** A forwarder that has mirrored one pod, and what each of its transactions asks of the mirror from then on. */
async function begin(open: Open, watch?: Watch, streamOver?: (stream: Stream) => Stream) {
  const { store, rows } = await open();
  const all: Asked[][] = [];
  const transact: Store['transact'] = (term, work, how) => {
    const noted: typeof work = (transaction) => {
      const asked: Asked[] = [];
      all.push(asked);
      return work({
        ...transaction,
        find(wanted) {
          // Of a bookmark there is nothing to be known.
          if (wanted.uids.length > 0) asked.push(wanted.withoutObjects ? 'rows' : 'objects');
          return transaction.find(wanted);
        },
      });
    };
    return store.transact(term, noted, how);
  };
  const world = await forwarding({
    store: { ...store, transact },
    ...(streamOver && { streamOver }),
  });
  onTestFinished(world.close);
  const { objects } = world.cluster;
  objects.create(pods, pod('first'));
  const { kinds, followAll } = await world.start([]);
  const subscriptions = watch === undefined ? [] : [subscribed(watch)];
  await followAll([{ scope: { kind: pods }, subscriptions }]);
  await until('it watches', () => kinds().includes('watching'));
  all.length = 0;
  const holds = async (app: string) => (await rows()).some((row) => row.app === app);
  const asked = () => all.filter((each) => each.length > 0);
  return { objects, rows, asked, holds };
}

function pod(app: string) {
  const metadata = { name: 'web', namespace: 'default', labels: { app } };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [] } };
}

const at = { namespace: 'default', name: 'web' };

/** Nobody says that anything ended. */
const withoutEnds = (stream: Stream): Stream => ({
  ...stream,
  async watch(scope, options) {
    const watching = await stream.watch(scope, options);
    if (watching.kind !== 'open') return watching;
    const next = async () => {
      const lines = await watching.next();
      if (!isLines(lines)) return lines;
      return lines.filter((line) => line.kind !== 'change' || line.type !== 'DELETED');
    };
    return { ...watching, next };
  },
});

describe.each([
  ['in memory', inMemory],
  ['on Postgres', onPostgres],
])('what an object was (%s)', (_, open) => {
  it.each<[string, Watch | undefined, Asked]>([
    ['is not read for who only reads', undefined, 'rows'],
    ['is not read for who is woken by any change', { of: pods }, 'rows'],
    ['is read for who is woken by some changes', { of: pods, changed: ['/spec'] }, 'objects'],
  ])('%s', async (_, watch, read) => {
    const { objects, asked, holds } = await begin(open, watch);
    objects.patch(pods, at, { metadata: { labels: { app: 'second' } } });
    await until('the change is mirrored', () => holds('second'));
    expect(asked()).toEqual([[read]]);
  });

  it.each<[string, Watch | undefined]>([
    ['who is woken by any change', { of: pods }],
    ['who only reads', undefined],
  ])('is read for %s where it ended without a word, and stays its last', async (_, watch) => {
    const { objects, rows, asked, holds } = await begin(open, watch, withoutEnds);
    objects.delete(pods, at);
    objects.create(pods, pod('second'));
    await until('its successor is mirrored', () => holds('second'));

    expect(await rows()).toEqual(
      expect.arrayContaining([
        { app: 'first', isDeleted: true },
        { app: 'second', isDeleted: false },
      ]),
    );
    expect(asked()).toContainEqual(['rows', 'objects']);
  });
});
