import type { Sql, TransactionSql } from 'postgres';
import { afterAll, beforeAll } from 'vitest';
import type { Outgoing, Sender } from '#events/queue.ts';
import { mirrorShelf, watchKey } from '#infra/emulator/testing/mirror/shelf.ts';
import { storeInMemory } from '#infra/emulator/testing/store-in-memory.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import { retireScopes } from '#shared/adapters/database/sweep.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { type StoreStage, storeContract } from './store.ts';

const opened: Sql[] = [];
afterAll(async () => {
  await Promise.all(opened.map((sql) => sql.end()));
});

async function openSql(): Promise<Sql> {
  const { url } = await freshDatabase();
  const sql = postgres(url, { max: 6, onnotice: () => undefined });
  opened.push(sql);
  await sql`create table sent (place bigint generated always as identity, body text)`;
  return sql;
}

/** One database for all cases: each has clusters of its own. */
const shared = openSql();
let cases = 0;
/** The server may have to be started, on a machine that does other things. */
beforeAll(async () => void (await shared), 30_000);

function intoTable(tx: TransactionSql): Sender {
  return {
    async send(messages: readonly Outgoing[]) {
      for (const { body } of messages) await tx`insert into sent (body) values (${body})`;
    },
  };
}

storeContract('the store on Postgres', async (): Promise<StoreStage> => {
  const sql = await shared;
  await sql`delete from sent`;
  cases += 1;
  const named = (cluster: string) => `${cluster} of ${cases}`;
  const cluster = named('main');
  const lapse = (scope: string) =>
    sql`update watches set lease_until = now() where cluster = ${cluster} and scope = ${scope}`;
  return {
    open: (other = 'main') => storeOn(sql, { cluster: named(other), sender: intoTable }),
    lapse: async (scope) => void (await lapse(scope)),
    setClockBack: async (scope) =>
      void (await sql`
        update watches set lease_until = lease_until + interval '1 hour'
        where cluster = ${cluster} and scope = ${scope}`),
    async retire(scope) {
      await lapse(scope);
      const others = await sql<{ scope: string }[]>`
        select scope from watches where cluster = ${cluster} and scope <> ${scope}`;
      await retireScopes(sql, { cluster, followed: others.map((each) => each.scope) });
    },
    sent: async () =>
      (await sql<{ body: string }[]>`select body from sent order by place`).map(({ body }) => body),
  };
});

storeContract('the store in memory', async (): Promise<StoreStage> => {
  const shelf = mirrorShelf();
  const sent: string[] = [];
  const open = () => {
    let own: readonly string[] = [];
    return {
      async send(messages: readonly Outgoing[]) {
        own = [...own, ...messages.map(({ body }) => body)];
      },
      commit: () => void sent.push(...own),
      rollback: () => undefined,
    };
  };
  const change = (scope: string, changed: object) => {
    const key = watchKey({ cluster: 'main', scope });
    const watch = shelf.watches.get(key);
    if (watch !== undefined) shelf.watches.set(key, { ...watch, ...changed });
  };
  let ms = 10_000_000;
  return {
    open: (cluster = 'main') => storeInMemory({ shelf, cluster, now: () => ms, open }),
    lapse: async (scope) => change(scope, { leaseUntilMs: 0 }),
    setClockBack: async () => {
      ms -= 3_600_000;
    },
    retire: async (scope) => change(scope, { isRetired: true, holder: undefined, leaseUntilMs: 0 }),
    sent: async () => sent,
  };
});
