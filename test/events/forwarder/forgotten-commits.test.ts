import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followedFrom } from '#events/forwarder/followed.ts';
import { openForwarder } from '#events/forwarder/forwarder.ts';
import type { Told } from '#events/forwarder/told.ts';
import type { Outgoing } from '#events/queue.ts';
import { type FakeCluster, fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { openSession } from '#shared/adapters/cluster/login.ts';
import { openStream } from '#shared/adapters/cluster/stream.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { pods } from '#shared/domain/kind.ts';
import { pause } from '#shared/runtime/pause.ts';
import { hastily, subscribed } from '#test/support/forwarding.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';
import { cluster, createPod, patienceMs } from './databases.ts';

describe('a database that comes back without its last commits', () => {
  const closing: (() => unknown)[] = [];
  const told: Told[] = [];
  let forgotten = 0;
  let api: FakeCluster;
  let sql: ReturnType<typeof postgres>;

  beforeAll(async () => {
    const { url } = await freshDatabase();
    sql = postgres(url, { max: 6, onnotice: () => undefined });
    api = await fakeCluster({ bookmarkMs: 60_000 });
    const session = await openSession({ kind: 'kubeconfig-text', text: api.kubeconfig });
    const forwarder = openForwarder({
      ...{ cluster, holder: 'one', now: Date.now, random: Math.random, pause },
      // Nobody but the watch tells, and no audit finds out.
      pace: { ...hastily, leaseMs: 60_000, idleMs: 60_000, auditMs: 600_000 },
      stream: openStream({ session }),
      store: storeOn<Outgoing>(sql, { cluster, sender: () => ({ send: async () => {} }) }),
      tell: (each) => void told.push(each),
    });
    closing.push(() => sql.end(), api.close, session.close, forwarder.stop);
    await forwarder.set(followedFrom([subscribed({ of: pods }, 'a')]));
    await until(async () => told.some(({ kind }) => kind === 'watching'), patienceMs);
  }, 30_000);
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  /** Of what was committed: while a transaction is under way, its database has nothing to forget. */
  const wakes = () =>
    told
      .slice(forgotten)
      .flatMap((each) => (each.kind === 'committed' ? each.sent : []))
      .map(({ body }): { name: string; deleted: boolean } => JSON.parse(body))
      .map(({ name, deleted }) => `${name}${deleted ? ' deleted' : ''}`);
  const woken = (...wanted: readonly string[]) =>
    until(async () => wanted.every((each) => wakes().includes(each)), patienceMs);

  it('hears again of what it forgot, a whole life included', async () => {
    createPod(api, 'x', 'kept');
    await woken('kept');
    await sql`create table kept_objects as table objects`;
    await sql`create table kept_watches as table watches`;
    createPod(api, 'x', 'forgotten');
    await woken('forgotten');
    api.objects.delete(pods, { namespace: 'x', name: 'forgotten' });
    await woken('forgotten deleted');

    await sql.begin(async (tx) => {
      await tx`delete from objects`;
      await tx`insert into objects select * from kept_objects`;
      await tx`
        update watches set resource_version = kept.resource_version from kept_watches as kept
        where watches.scope = kept.scope`;
    });
    forgotten = told.length;
    createPod(api, 'x', 'later');
    await woken('later');
    expect(wakes()).toEqual(['forgotten', 'forgotten deleted', 'later']);
    expect(told.filter(({ kind }) => kind === 'fenced' || kind === 'lost')).toHaveLength(1);
  });
});
