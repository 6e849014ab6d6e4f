import { setTimeout as pause } from 'node:timers/promises';
import type { Sql, TransactionSql } from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { nowhere, type Term } from '#shared/domain/mirrored.ts';
import { leaseMs, rowOf, termOf } from '#test/contracts/store/stage.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { proxyTo } from '#test/support/proxy-to.ts';

const scopes = ['configmaps', 'nodes', 'pods', 'services'];

const fail = () => {
  throw new Error('on purpose');
};

describe('transactions of several scopes in company', () => {
  let url: string;
  let sql: Sql;
  let cluster: string;
  let store: ReturnType<typeof storeOn<string>>;
  let terms: readonly Term[];
  let cases = 0;
  const sent: (readonly string[])[] = [];
  /** Sends what Postgres can divide by. */
  const sender = (tx: TransactionSql) => ({
    async send(messages: readonly string[]) {
      sent.push(messages);
      for (const each of messages) await tx`select 1 / ${Number(each)}::int`;
    },
  });

  beforeAll(async () => {
    ({ url } = await freshDatabase());
    sql = postgres(url, { max: 4, onnotice: () => undefined });
  }, 30_000);
  afterAll(() => sql.end({ timeout: 0 }));
  beforeEach(async () => {
    cases += 1;
    cluster = `c${cases}`;
    store = storeOn<string>(sql, { cluster, sender });
    terms = await Promise.all(scopes.map((scope) => termOf(store as never, scope)));
    sent.length = 0;
  });

  type Work = Parameters<typeof store.transact>[1];
  const usual =
    (uid: string, messages: readonly string[] = ['1']): Work =>
    async ({ find, write, send, setCursor }) => {
      await find({ uids: [uid], names: [{ namespace: 'default', name: `name-of-${uid}` }] });
      await Promise.all([write([rowOf(uid)]), send(messages)]);
      await setCursor({ epoch: 1, generation: 1, at: { resourceVersion: uid } });
    };
  /** The first goes by itself, and the others meanwhile. */
  const transactAll = (works: readonly Work[], on = store) =>
    Promise.allSettled(
      works.map(async (work, at) => {
        const [term] = terms.slice(at);
        if (term === undefined) throw new Error('no such term');
        return (await on.transact(term, work, 'in-company')).kind;
      }),
    );
  const kinds = async (works: readonly Work[]) =>
    (await transactAll(works)).map((each) => (each.status === 'fulfilled' ? each.value : 'failed'));
  const living = async () => {
    const rows = await sql<{ uid: string }[]>`
      select uid from objects where cluster = ${cluster} and deleted_at is null order by uid`;
    return rows.map(({ uid }) => uid).join(' ');
  };
  const works = (odd: Partial<Record<number, Work>> = {}) =>
    scopes.map((_, at) => odd[at] ?? usual(`u${at}`, [`${at + 1}`]));

  it('are one transaction, in which everything is sent at once', async () => {
    expect(await kinds(works())).toEqual(['committed', 'committed', 'committed', 'committed']);
    const rows = await sql`select distinct xmin::text from objects where cluster = ${cluster}`;
    expect(rows).toHaveLength(1);
    expect(sent).toEqual([['1', '2', '3', '4']]);
    expect(await living()).toBe('u0 u1 u2 u3');
  });

  it('ask no more statements than one scope does', async () => {
    const asked: string[] = [];
    const debug = (_: number, text: string) => asked.push(text.trim().split(/\s+/, 2).join(' '));
    const one = postgres(url, { max: 1, onnotice: () => undefined, debug });
    const quiet = storeOn<string>(one, {
      cluster,
      sender: () => ({ send: async () => undefined }),
    });
    const statementsOf = async (all: readonly Work[]) => {
      asked.length = 0;
      expect(new Set((await transactAll(all, quiet)).map(({ status }) => status))).toEqual(
        new Set(['fulfilled']),
      );
      return asked.filter((each) => !each.startsWith('select b.oid'));
    };
    await statementsOf(works());
    const ofOne = await statementsOf(works().slice(0, 1));
    expect(ofOne).toHaveLength(6);
    expect(await statementsOf(works())).toEqual(ofOne);
    await one.end();
  });

  it('keep apart what has one uid and one name in several kinds', async () => {
    const found: string[] = [];
    const putting =
      (resourceVersion: string): Work =>
      ({ write }) =>
        write([rowOf('u', { resourceVersion })]);
    const looking =
      (uids: readonly string[]): Work =>
      async ({ find }) => {
        const rows = await find({ uids, names: [{ namespace: 'default', name: 'name-of-u' }] });
        found.push(rows.map(({ resourceVersion }) => resourceVersion).join(' '));
      };
    await kinds([async () => undefined, putting('2'), putting('3')]);
    // By its name alone the third is found, although the second asks by a uid that is its own as well.
    await kinds([looking(['u']), looking(['u']), looking([])]);
    expect(found).toEqual(['', '2', '3']);
  });

  it('go on from there, one after the other', async () => {
    for (const uid of ['u5', 'u6', 'u7']) {
      const next = scopes.map(() => usual(uid));
      expect(new Set(await kinds(next))).toEqual(new Set(['committed']));
    }
    const claimed = await store.claim('pods', 'one', leaseMs);
    expect(claimed?.cursor.at).toEqual({ resourceVersion: 'u7' });
  });

  it('are waited for, and then shared by all who have waited', async () => {
    const [first, ...others] = terms;
    if (first === undefined) throw new Error('no term');
    await store.untilCompany();
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const going = store.transact(
      first,
      () => {
        begun.resolve();
        return held.promise;
      },
      'in-company',
    );
    await begun.promise;
    let free = 0;
    const waiting = others.map(async (term, at) => {
      await store.untilCompany();
      free += 1;
      return store.transact(term, usual(`u${at + 1}`), 'in-company');
    });
    await pause(20);
    expect(free).toBe(0);

    held.resolve();
    await Promise.all([going, ...waiting]);
    const rows = await sql`select distinct xmin::text from objects where cluster = ${cluster}`;
    expect([rows.length, await living()]).toEqual([1, 'u1 u2 u3']);
  });

  it('are waited for where they fail', async () => {
    const [first] = terms;
    if (first === undefined) throw new Error('no term');
    const failing = store.transact(first, fail, 'in-company');
    await expect(failing).rejects.toThrow('on purpose');
    await expect(store.untilCompany()).resolves.toBeUndefined();
  });

  it('are several where one scope has two works', async () => {
    const [one] = terms;
    if (one === undefined) throw new Error('no term');
    const done = await Promise.all(
      ['u1', 'u2', 'u3'].map((uid) => store.transact(one, usual(uid), 'in-company')),
    );
    expect(done.map(({ kind }) => kind)).toEqual(['committed', 'committed', 'committed']);
    const [watch] = await sql`
      select changes::int from watches where cluster = ${cluster} and scope = ${one.scope}`;
    expect([watch?.['changes'], await living()]).toEqual([3, 'u1 u2 u3']);
  });

  it('are none for who is alone', async () => {
    const [one, ...others] = terms;
    if (one === undefined) throw new Error('no term');
    await Promise.all([
      store.transact(one, usual('u0'), 'alone'),
      ...others.map((term, at) => store.transact(term, usual(`u${at + 1}`), 'in-company')),
    ]);
    const rows = await sql`select distinct xmin::text from objects where cluster = ${cluster}`;
    expect(rows).toHaveLength(2);
  });

  it('write nothing for one whose term is over, and all for the others', async () => {
    await sql`update watches set term = term + 1 where cluster = ${cluster} and scope = 'pods'`;
    expect(await kinds(works())).toEqual(['committed', 'committed', 'fenced', 'committed']);
    expect(sent).toEqual([['1', '2', '4']]);
    expect(await living()).toBe('u0 u1 u3');
  });

  it.each<[string, Work]>([
    ['a statement', usual('u1', ['0'])],
    [
      'its own work after its writes',
      async (transaction) => {
        await usual('u1')(transaction);
        throw new Error('on purpose');
      },
    ],
    [
      'its own work beside its writes',
      async ({ write, setCursor }) => {
        await Promise.all([write([rowOf('u1')]), setCursor(nowhere).then(fail)]);
      },
    ],
    [
      'its own work before anything',
      async () => {
        throw new Error('on purpose');
      },
    ],
  ])('are none of one that fails in %s, and of all others', async (_, work) => {
    expect(await kinds(works({ 1: work }))).toEqual([
      'committed',
      'failed',
      'committed',
      'committed',
    ]);
    expect(await living()).toBe('u0 u2 u3');
  });

  it('tell what failed in its own words', async () => {
    const [, failed] = await transactAll(works({ 1: usual('u1', ['0']) }));
    expect(failed).toMatchObject({ reason: { message: 'division by zero' } });
  });

  it('are over for each of them before any is begun anew', async () => {
    const said: string[] = [];
    const atOnce: Work = async () => {
      throw new Error('at once');
    };
    const slow: Work = async (transaction) => {
      said.push('begun');
      await transaction.find({ uids: ['u2'], names: [] });
      await usual('u2')(transaction);
      said.push('ended');
    };
    await transactAll(works({ 1: atOnce, 2: slow }));
    expect(said).toEqual(['begun', 'ended', 'begun', 'ended']);
    expect(await living()).toBe('u0 u2 u3');
  });

  it('tell all of them where the database is away, and begin with none of them anew', async () => {
    const way = await proxyTo(url);
    const far = postgres(way.url, { max: 2, onnotice: () => undefined });
    const away = storeOn<string>(far, { cluster, sender });
    let begun = 0;
    const cutting: Work = async (transaction) => {
      begun += 1;
      await transaction.find({ uids: ['a'], names: [] });
      way.cut();
      way.mend();
      await usual('u1')(transaction);
    };
    const ended = await transactAll(works({ 1: cutting }), away);
    expect(ended.map(({ status }) => status)).toEqual(scopes.map(() => 'rejected'));
    expect([begun, await living()]).toEqual([1, '']);
    way.close();
    await far.end({ timeout: 0 });
  });
});
