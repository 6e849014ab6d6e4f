import type { Sql } from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimsLock } from '#shared/adapters/database/lease.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { retireScopes, sweepUnfollowed } from '#shared/adapters/database/sweep.ts';
import { pause } from '#shared/runtime/pause.ts';
import { committed, rowOf, termOf } from '#test/contracts/store/stage.ts';
import { freshDatabase } from '#test/support/postgres.ts';

const quietly = () => ({ send: async () => undefined });
const pods = { group: '', resource: 'pods' };

describe('the sweep of what nobody follows', () => {
  let sql: Sql;
  let cluster: string;
  let cases = 0;

  beforeAll(async () => {
    const { url } = await freshDatabase();
    sql = postgres(url, { max: 4, onnotice: () => undefined });
  }, 30_000);
  afterAll(() => sql.end({ timeout: 0 }));
  beforeEach(() => {
    cases += 1;
    cluster = `c${cases}`;
  });

  /** Mirrors one row of each name, in the namespace of that name, and is followed no more since then. */
  async function left(scope: string, ago: string, ...names: readonly string[]): Promise<void> {
    const store = storeOn(sql, { cluster, sender: quietly });
    const term = await termOf(store, scope);
    await committed(store, term, ({ write }) =>
      write(names.map((name) => rowOf(name, { namespace: name }))),
    );
    await lapse(scope, ago);
  }

  async function lapse(scope: string, ago: string): Promise<void> {
    await sql`
      update watches set lease_until = now() - ${ago}::interval
      where cluster = ${cluster} and scope = ${scope}`;
    const all = await sql<
      { scope: string }[]
    >`select scope from watches where cluster = ${cluster}`;
    const followed = all.map((each) => each.scope).filter((each) => each !== scope);
    await retireScopes(sql, { cluster, followed });
  }

  const sweep = (on: Sql = sql) => sweepUnfollowed(on, { cluster, max: 10 });
  const uids = async () => {
    const rows = await sql<{ uid: string }[]>`
      select uid from objects where cluster = ${cluster} order by uid`;
    return rows.map(({ uid }) => uid);
  };

  it('counts the hour of a place, by whatever scope it was followed', async () => {
    await left('pods', '2 hours', 'x', 'y');
    await left('pods/x', '30 minutes');
    expect(await sweep()).toBe(1);
    expect(await uids()).toEqual(['x']);
    await lapse('pods/x', '61 minutes');
    expect(await sweep()).toBe(1);
    expect(await uids()).toEqual([]);
  });

  it.each<[string, string, readonly string[]]>([
    ['a place', 'pods/x', ['x']],
    ['the scope itself', 'pods', ['x', 'y']],
  ])('waits for whoever is about to follow %s, and leaves it to them', async (_, scope, kept) => {
    await left('pods', '2 hours', 'x', 'y');
    const sweeping = await sql.begin(async (tx) => {
      await tx`select ${claimsLock(tx, { cluster, ...pods })}`;
      const begun = sweep();
      await Promise.race([begun, pause(300)]);
      await tx`
        insert into watches (cluster, scope, api_group, resource, epoch, generation, position)
        values (${cluster}, ${scope}, '', 'pods', 1, 0, 'nowhere')
        on conflict (cluster, scope) do update set is_retired = false, lease_until = now()`;
      return { begun };
    });
    expect(await sweeping.begun).toBe(2 - kept.length);
    expect(await uids()).toEqual(kept);
  });

  it('looks once at what waits for somebody who cannot list', async () => {
    const names = Array.from({ length: 300 }, (_, at) => `row-${at}`);
    await left('pods', '2 hours', ...names);
    await storeOn(sql, { cluster, sender: quietly }).claim('pods?app=web', 'two', 60_000);
    expect(await sweep()).toBe(0);
    const read = await sql.begin(async (tx) => {
      const before = await readsOf(tx as unknown as Sql);
      expect(await sweep(tx as unknown as Sql)).toBe(0);
      return (await readsOf(tx as unknown as Sql)) - before;
    });
    expect(read).toBeLessThan(10);
  });

  it('sweeps that too, an hour after that one was followed no more', async () => {
    await left('pods', '2 hours', 'x');
    await left('pods?app=web', '1 minute');
    expect(await sweep()).toBe(0);
    await lapse('pods?app=web', '61 minutes');
    expect(await sweep()).toBe(1);
  });
});

async function readsOf(tx: Sql): Promise<number> {
  const [found] = await tx<{ count: number }[]>`
    select (seq_tup_read + idx_tup_fetch)::int as count
    from pg_stat_xact_user_tables where relname = 'objects'`;
  return found?.count ?? 0;
}
