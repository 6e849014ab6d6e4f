import type { Sql, TransactionSql } from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Transaction } from '#events/forwarder/ports.ts';
import { readFollowed } from '#shared/adapters/database/followed.ts';
import type { Notice } from '#shared/adapters/database/notice.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { kindOfScope } from '#shared/adapters/database/scope-kind.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { retireScopes, sweepTombstones, sweepUnfollowed } from '#shared/adapters/database/sweep.ts';
import { nowhere, type Term } from '#shared/domain/mirrored.ts';
import { committed, findUids, leaseMs, rowOf, termOf } from '#test/contracts/store/stage.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';

const quietly = () => ({ send: async () => undefined });

describe('the store on Postgres', () => {
  let sql: Sql;
  let cluster: string;
  let store: ReturnType<typeof storeOn>;
  let term: Term;
  let cases = 0;
  const heard: Notice[] = [];

  beforeAll(async () => {
    const { url } = await freshDatabase();
    sql = postgres(url, { max: 4, onnotice: () => undefined });
    await sql.listen('gatehouse_mirror', (payload) => heard.push(JSON.parse(payload)));
  }, 30_000);
  afterAll(() => sql.end({ timeout: 0 }));
  beforeEach(async () => {
    cases += 1;
    cluster = `c${cases}`;
    store = storeOn(sql, { cluster, sender: quietly });
    term = await termOf(store, 'pods');
    heard.length = 0;
  });
  const write = (...rows: Parameters<typeof rowOf>[]) =>
    committed(store, term, (transaction) =>
      transaction.write(rows.map((stated) => rowOf(...stated))),
    );
  const heardOf = async (count: number) => {
    await until(() => heard.length >= count);
    return heard;
  };

  it('says of writes that went out together which one failed, and keeps none of them', async () => {
    const failing = storeOn<string>(sql, {
      cluster,
      sender: (tx) => ({ send: async () => void (await tx`select 1 / 0`) }),
    });
    const done = failing.transact(term, async (transaction) => {
      await transaction.send(['anything']);
      await transaction.write([rowOf('a')]);
      await transaction.setCursor({ epoch: 9, generation: 9, at: { resourceVersion: '9' } });
    });
    await expect(done).rejects.toThrow('division by zero');
    expect(await findUids(store, term, ['a'])).toEqual([]);
    expect(await store.claim('pods', term.holder, leaseMs)).toMatchObject({ cursor: nowhere });
  });

  it('writes nothing of work that fails in the turn in which it asks to write', async () => {
    for (const turns of [0, 1, 2, 3, 4, 5, 6, 8, 10, 12]) {
      const failing = async () => {
        for (let turn = 0; turn < turns; turn += 1) await null;
        throw new Error('on purpose');
      };
      const done = store.transact(term, async ({ find, write: put }) => {
        await find({ uids: ['a'], names: [] });
        await Promise.all([put([rowOf('a')]), failing()]);
      });
      await expect(done).rejects.toThrow('on purpose');
      // Whatever was still on its way has come by then.
      await Promise.all(Array.from({ length: 8 }, () => sql`select 1`));
    }
    expect(await findUids(store, term, ['a'])).toEqual([]);
  });

  it('reads what was there when it got the lock, and not what was there before', async () => {
    const another = storeOn(sql, { cluster, sender: quietly });
    const isLocked = Promise.withResolvers<void>();
    const writing = committed(another, term, async (transaction) => {
      await transaction.find({ uids: ['a'], names: [] });
      isLocked.resolve();
      await transaction.write([rowOf('a')]);
    });
    await isLocked.promise;
    const found = await findUids(store, term, ['a']);
    await writing;
    expect(found.map(({ uid }) => uid)).toEqual(['a']);
  });

  it('plans its look-ups once, where the planner knows the table, and says so to who sends', async () => {
    const plans = (tx: TransactionSql) => tx`
      select sum(custom_plans)::int as custom, sum(generic_plans)::int as generic,
        current_setting('enable_seqscan') as seqscan
      from pg_prepared_statements
      where statement like '%objects o on%' and statement not like '%pg_prepared%'`;
    const at = { namespace: 'default', name: 'name-of-u7' };
    const look = async () => {
      const one = postgres({ ...sql.options, max: 1 } as never);
      const found: unknown[] = [];
      const sender = (tx: TransactionSql, isPlanned: boolean) => ({
        send: async () => void found.push({ isPlanned, ...(await plans(tx))[0] }),
      });
      await storeOn<string>(one, { cluster, sender }).transact(term, async ({ find, send }) => {
        for (let time = 0; time < 8; time += 1) await find({ uids: [`u${time}`], names: [at] });
        await send(['now']);
      });
      await one.end();
      return found[0];
    };
    expect(await look()).toMatchObject({ isPlanned: false, seqscan: 'on' });
    await write(...Array.from({ length: 5_000 }, (_, uid): [string] => [`u${uid}`]));
    await sql`analyze objects`;
    const known = { isPlanned: true, seqscan: 'off', custom: 0, generic: 8 };
    expect(await look()).toEqual(known);
  });

  it('finds by uid and by name each through all columns of its index', async () => {
    await write(...Array.from({ length: 50 }, (_, uid): [string] => [`u${uid}`]));
    type Asked = { readonly text: string; readonly values: readonly (string | number)[] };
    const asked: Asked[] = [];
    const debug = (_: number, text: string, values: Asked['values']) =>
      asked.push({ text, values });
    const one = postgres({ ...sql.options, max: 1, debug } as never);
    const at = { namespace: 'default', name: 'name-of-u7' };
    await committed(storeOn(one, { cluster, sender: quietly }), term, ({ find }) =>
      find({ uids: ['u1'], names: [at] }),
    );
    const look = asked.find(({ text }) => text.includes('objects o on'));
    if (look === undefined) throw new Error('nothing was looked up');
    await one`select set_config('plan_cache_mode', 'force_generic_plan', false),
      set_config('enable_seqscan', 'off', false)`;
    const values = look.values.map((value) => `'${value}'`).join();
    await one.unsafe(`prepare look as ${look.text}`);
    const plan = await one.unsafe(`explain (costs off) execute look(${values})`);
    await one.end();
    const conditions = plan.map((line) => String(line['QUERY PLAN'])).filter(isCondition);
    expect(conditions.map((each) => each.match(/\b[a-z_]+(?= = )/g))).toEqual([
      ['cluster', 'api_group', 'resource', 'uid'],
      ['cluster', 'api_group', 'resource', 'namespace', 'name'],
    ]);
  });
  const isCondition = (line: string) =>
    line.includes('Index Cond') && line.includes('uid') !== line.includes('name');

  it('asks for whoever had a name before only where somebody else comes to it', async () => {
    const asked: string[] = [];
    const debug = (_: number, text: string) => asked.push(text.trim().split(/\s+/, 2).join(' '));
    const counted = postgres({ ...sql.options, debug } as never);
    const counting = storeOn(counted, { cluster, sender: quietly });
    const at = { resourceVersion: '9' };
    const change = (uid: string) =>
      committed(counting, term, async ({ find, write: put, setCursor }) => {
        await find({ uids: [uid], names: [{ namespace: 'default', name: 'one' }] });
        await put([rowOf(uid, { name: 'one' })]);
        await setCursor({ epoch: 1, generation: 1, at });
      });
    const askedBy = async (uid: string) => {
      asked.length = 0;
      await change(uid);
      return asked.filter((each) => !/begin|commit|select b.oid/.test(each));
    };
    const usual = ['select w.scope,', 'with uids', 'insert into', 'with moved'];
    const newcomers = usual.toSpliced(2, 0, 'update objects');
    // Once a process, what the server can.
    expect(await askedBy('a')).toEqual(['select case', ...newcomers]);
    expect(await askedBy('a')).toEqual(usual);
    expect(await askedBy('b')).toEqual(newcomers);
    expect(await askedBy('b')).toEqual(usual);
    const left = await findUids(counting, term, ['a', 'b']);
    expect(left.map(({ uid, isDeleted }) => [uid, isDeleted])).toEqual([
      ['a', true],
      ['b', false],
    ]);
    await counted.end();
  });

  describe('notices', () => {
    const place = () => ({ cluster, group: '', resource: 'pods', scope: 'pods' });

    it('are one a transaction, with its names', async () => {
      await committed(store, term, async (transaction) => {
        await transaction.write([rowOf('a', { name: 'x' })]);
        await transaction.write([rowOf('b', { name: 'y' })]);
      });
      await write(['a', { name: 'x' }]);
      expect(await heardOf(2)).toEqual([
        { ...place(), changes: 1, names: ['default/x', 'default/y'] },
        { ...place(), changes: 2, names: ['default/x'] },
      ]);
    });

    it('tell of what is forgotten', async () => {
      await write(['a', { name: 'x' }]);
      await committed(store, term, ({ forget }) => forget(['a', 'nobody']));
      expect((await heardOf(2))[1]?.names).toEqual(['default/x']);
    });

    it('tell that the kind changed where the names are too many', async () => {
      const rows = Array.from({ length: 1_000 }, (_, place): [string] => [`${place}`]);
      await write(...rows);
      expect(await heardOf(1)).toEqual([{ ...place(), changes: 1 }]);
    });

    it('are not sent for what did not happen, did not change, or nobody listens to', async () => {
      await expect(
        store.transact(term, async (transaction) => {
          await transaction.write([rowOf('a')]);
          throw new Error('on purpose');
        }),
      ).rejects.toThrow('on purpose');
      const at = { resourceVersion: '9' };
      await committed(store, term, ({ setCursor }) => setCursor({ epoch: 1, generation: 1, at }));
      await committed(store, term, ({ mark, forget }) =>
        Promise.all([mark(['a'], 2), forget(['a'])]),
      );
      const unheard = storeOn(sql, { cluster, sender: quietly, notifies: () => false });
      await committed(unheard, term, (transaction) => transaction.write([rowOf('b')]));
      await write(['c']);
      expect(await heardOf(1)).toMatchObject([{ changes: 2, names: ['default/name-of-c'] }]);
    });
  });

  it('ends the transaction of a writer that stopped in the middle, for whoever takes over', async () => {
    const stalling = storeOn(sql, { cluster, sender: quietly, stallMs: 200 });
    const [written, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const stalled = stalling.transact(term, async (transaction) => {
      await transaction.write([rowOf('a')]);
      written.resolve();
      await resumed.promise;
      await transaction.write([rowOf('b')]);
    });
    stalled.catch(() => undefined);
    await written.promise;
    // Waits for the row that the stalled one holds.
    await store.release(term);
    const next = await termOf(store, 'pods', 'two');
    resumed.resolve();
    await expect(stalled).rejects.toThrow();
    expect(await findUids(store, next, ['a', 'b'])).toEqual([]);
  });

  it('ends a claim that stopped in the middle, for whoever claims the kind', async () => {
    const reached = Promise.withResolvers<void>();
    const stalled = storeOn(stoppingBefore(/insert into watches/, reached.resolve), {
      ...{ cluster, sender: quietly, stallMs: 200 },
    }).claim('pods/team-a', 'young', leaseMs, 'before-others');
    stalled.catch(() => undefined);
    await reached.promise;
    expect(await store.claim('pods/team-b', 'two', leaseMs, 'before-others')).toBeDefined();
  });

  /** Whoever works on it never comes back from there. */
  function stoppingBefore(what: RegExp, isReached: () => void): Sql {
    const begin = (work: (tx: unknown) => unknown) =>
      sql.begin((tx) =>
        work((texts: TemplateStringsArray, ...given: never[]) => {
          if (!what.test(texts.join(''))) return tx(texts, ...given);
          isReached();
          return new Promise(() => undefined);
        }),
      );
    return new Proxy(sql, { get: (all, key) => (key === 'begin' ? begin : Reflect.get(all, key)) });
  }

  it('is fenced where the server has forgotten what it committed, and goes on from what that knows', async () => {
    const cursorAt = (version: string) => ({
      ...{ epoch: 1, generation: 1 },
      at: { resourceVersion: version },
    });
    const move = (version: string) =>
      store.transact(term, ({ setCursor }) => setCursor(cursorAt(version)));
    await move('3');
    await move('5');
    // As a replica that was promoted before it had heard of the last one.
    await sql`update watches set resource_version = '3' where cluster = ${cluster}`;
    expect(await move('7')).toEqual({ kind: 'fenced' });
    expect(await store.claim('pods', term.holder, leaseMs)).toEqual({
      ...{ term, cursor: cursorAt('3') },
    });
    expect(await move('4')).toMatchObject({ kind: 'committed' });
  });

  it('takes the word of the server for what became of a commit that nobody answered', async () => {
    const begin = (...given: Parameters<Sql['begin']>) =>
      Promise.resolve(Reflect.apply(sql.begin, sql, given)).then(() => {
        throw new Error('the connection broke');
      });
    let isBreaking = false;
    const breaking = new Proxy(sql, {
      get: (all, key) => (key === 'begin' && isBreaking ? begin : Reflect.get(all, key)),
    });
    const broken = storeOn(breaking, { cluster, sender: quietly });
    const own = await termOf(broken, 'nodes');
    const move = (resourceVersion: string) =>
      broken.transact(own, ({ setCursor }) =>
        setCursor({ epoch: 1, generation: 1, at: { resourceVersion } }),
      );
    await move('3');
    isBreaking = true;
    await expect(move('5')).rejects.toThrow('the connection broke');
    isBreaking = false;
    expect(await move('7')).toMatchObject({ kind: 'committed' });
  });

  it('begins no term twice with one number after a scope was followed no more', async () => {
    await sql`update watches set lease_until = now() where cluster = ${cluster}`;
    expect(await retireScopes(sql, { cluster, followed: ['nodes'] })).toEqual(['pods']);
    expect(await retireScopes(sql, { cluster, followed: ['nodes'] })).toEqual([]);
    expect((await termOf(store, 'pods')).number).toBe(term.number + 1);
  });

  describe('what is heard of a scope', () => {
    beforeEach(async () => {
      await sql`update watches set updated_at = now() - interval '1 day' where cluster = ${cluster}`;
    });
    const quietMs = async () => {
      const [followed] = await readFollowed(sql, { cluster, kinds: [kindOfScope('pods')] });
      return followed?.quietMs;
    };

    it.each<[string, (transaction: Transaction) => Promise<unknown>]>([
      [
        'where its cursor moves, also while nothing changes',
        (each) => each.setCursor({ epoch: 2, generation: 3, at: { resourceVersion: '99' } }),
      ],
      ['where a row changes', ({ write }) => write([rowOf('a')])],
    ])('is told %s', async (_, work) => {
      await committed(store, term, work);
      expect(await quietMs()).toBeLessThan(60_000);
    });

    it('is nothing where only its lease goes on: its watch may be half open', async () => {
      await store.renew(term, leaseMs);
      await termOf(store, 'pods');
      expect(await quietMs()).toBeGreaterThan(60_000);
    });
  });

  it('retires what was held before the clock was set back, as of now', async () => {
    await sql`update watches set lease_until = now() + interval '1 hour' where cluster = ${cluster}`;
    expect(await retireScopes(sql, { cluster, followed: [] })).toEqual(['pods']);
    const left = sql`
      select 1 from watches where cluster = ${cluster} and lease_until <= clock_timestamp()`;
    expect(await left).toHaveLength(1);
  });

  it('retires neither what somebody holds nor what is followed', async () => {
    await termOf(store, 'nodes');
    await sql`update watches set lease_until = now() where cluster = ${cluster} and scope = 'nodes'`;
    expect(await retireScopes(sql, { cluster, followed: ['nodes'] })).toEqual([]);
  });

  it('forgets with a retired scope whom it had woken', async () => {
    const backfill = { function: 'f', fingerprint: 'x', after: '', isDone: true };
    await committed(store, term, ({ setBackfill }) => setBackfill(backfill));
    await sql`update watches set lease_until = now() where cluster = ${cluster}`;
    await retireScopes(sql, { cluster, followed: [] });
    expect(await store.backfills('pods')).toEqual([]);
  });

  it('sweeps tombstones that are old and that nobody names', async () => {
    await write(['old', { isDeleted: true }], ['named', { isDeleted: true }], ['live']);
    await sql`update objects set deleted_at = now() - interval '61 minutes'
      where cluster = ${cluster} and deleted_at is not null`;
    await write(['young', { isDeleted: true }]);
    const isNamed = (each: Sql) => each`exists (select 1 where o.uid = 'named')`;
    expect(await sweepTombstones(sql, { cluster, max: 10, isNamed })).toBe(1);
    const left = await findUids(store, term, ['old', 'named', 'live', 'young']);
    expect(left.map(({ uid }) => uid)).toEqual(['live', 'named', 'young']);
  });

  it('counts the hour of a tombstone from the first time that it was told', async () => {
    await write(['old', { isDeleted: true }]);
    await sql`update objects set deleted_at = now() - interval '61 minutes'
      where cluster = ${cluster}`;
    await write(['old', { isDeleted: true }]);
    const isNamed = (each: Sql) => each`false`;
    expect(await sweepTombstones(sql, { cluster, max: 10, isNamed })).toBe(1);
  });

  it('sweeps no more tombstones than asked for', async () => {
    await write(['a', { isDeleted: true }], ['b', { isDeleted: true }]);
    const isNamed = (each: Sql) => each`false`;
    const sweep = { cluster, max: 1, isNamed, olderThanMs: -1_000 };
    expect(await sweepTombstones(sql, sweep)).toBe(1);
  });

  const lapse = (ago: string) =>
    sql`update watches set lease_until = now() - ${ago}::interval where cluster = ${cluster}`;

  it('sweeps the rows whose place nobody has followed for an hour, and no others', async () => {
    await write(
      ...['a', 'b', 'c'].map((name): Parameters<typeof rowOf> => [name, { namespace: name }]),
      ['d', { isDeleted: true }],
    );
    await store.claim('pods/a', 'two', leaseMs, 'before-others');
    expect(await sweepUnfollowed(sql, { cluster, max: 10 })).toBe(0);
    await sql`
      update watches set lease_until = now() - interval '61 minutes'
      where cluster = ${cluster} and is_retired`;
    expect(await sweepUnfollowed(sql, { cluster, max: 1 })).toBe(1);
    expect(await sweepUnfollowed(sql, { cluster, max: 10 })).toBe(1);
    expect(await sweepUnfollowed(sql, { cluster, max: 10 })).toBe(0);
    const left = await sql`select uid from objects where cluster = ${cluster} order by uid`;
    expect(left.map(({ uid }) => uid)).toEqual(['a', 'd']);
  });

  it('keeps for an hour what a leader in a long wait mirrored, though others retired its scope', async () => {
    await write(['a']);
    await lapse('59 minutes');
    await retireScopes(sql, { cluster, followed: [] });
    expect(await sweepUnfollowed(sql, { cluster, max: 10 })).toBe(0);
    expect(await findUids(store, await termOf(store, 'pods'), ['a'])).toHaveLength(1);
    await lapse('61 minutes');
    await retireScopes(sql, { cluster, followed: [] });
    expect(await sweepUnfollowed(sql, { cluster, max: 10 })).toBe(1);
  });

  it('sweeps again what was mirrored after a sweep', async () => {
    for (const uid of ['a', 'b']) {
      term = await termOf(store, 'pods');
      await write([uid]);
      await lapse('61 minutes');
      await retireScopes(sql, { cluster, followed: [] });
      expect(await sweepUnfollowed(sql, { cluster, max: 10 })).toBe(1);
    }
  });

  it('reads next to nothing while nothing is left of scopes that are no more', async () => {
    await write(...Array.from({ length: 300 }, (_, at): Parameters<typeof rowOf> => [`row-${at}`]));
    await termOf(store, 'pods.metrics.k8s.io');
    await sql`update watches set lease_until = now() - interval '2 hours' where cluster = ${cluster}`;
    await retireScopes(sql, { cluster, followed: ['pods'] });
    expect(await sweepUnfollowed(sql, { cluster, max: 10 })).toBe(0);
    const [before, after] = await sql.begin(async (tx) => {
      const reads = async () => {
        const [found] = await tx<{ count: number }[]>`
          select (seq_tup_read + idx_tup_fetch)::int as count
          from pg_stat_xact_user_tables where relname = 'objects'`;
        return found?.count ?? 0;
      };
      const earlier = await reads();
      expect(await sweepUnfollowed(tx as unknown as Sql, { cluster, max: 10 })).toBe(0);
      return [earlier, await reads()];
    });
    expect(after - before).toBeLessThan(10);
  });

  it('writes a change of status without touching an index', async () => {
    const stated = { labels: { app: 'web' }, keys: ['k'] };
    await write(['a', stated]);
    // A session of its own has counted nothing yet.
    const one = postgres({ ...sql.options, max: 1 } as never);
    const counts: unknown[] = [];
    const sender = (tx: TransactionSql) => ({
      async send() {
        const [found] = await tx`
          select n_tup_upd::int as all, n_tup_hot_upd::int as "inPage"
          from pg_stat_xact_user_tables where relname = 'objects'`;
        counts.push(found);
      },
    });
    await committed(storeOn(one, { cluster, sender }), term, async (transaction) => {
      await transaction.write([rowOf('a', { ...stated, resourceVersion: '2' })]);
      await transaction.send(['now'] as never);
    });
    await one.end();
    expect(counts).toEqual([{ all: 1, inPage: 1 }]);
  });

  it('gives the lease by the clock of the database', async () => {
    expect(await store.renew(term, 1)).toBe(true);
    await until(async () => (await store.claim('pods', 'two', leaseMs)) !== undefined);
  });
});
