import type { Sql } from 'postgres';
import { afterAll, beforeAll } from 'vitest';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import { verdictsOn } from '#shared/adapters/database/image-verdicts.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { verdictContract } from './verdicts.ts';

const opened: Sql[] = [];
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
  await Promise.all(opened.map((sql) => sql.end({ timeout: 1 })));
});

async function openSql(): Promise<Sql> {
  const { url } = await freshDatabase();
  const sql = postgres(url, { max: 6, onnotice: () => undefined });
  opened.push(sql);
  return sql;
}

/** One database for all cases. */
const shared = openSql();
/** The server may have to be started, on a machine that does other things. */
beforeAll(async () => void (await shared), 30_000);

verdictContract('verdicts on Postgres', async () => {
  const sql = await shared;
  return {
    open: () => {
      const store = verdictsOn(sql, { cluster: 'main of many' });
      closing.push(store.close);
      return store;
    },
    lapse: async ({ key }) =>
      void (await sql`update image_claims set lease_until = now() where collection = ${key}`),
    setClockBack: async ({ key }) =>
      void (await sql`
        update image_claims set lease_until = lease_until + interval '1 hour'
        where collection = ${key}`),
  };
});

verdictContract('verdicts in memory', async () => {
  let ms = 0;
  const store = verdictsInMemory({ now: () => ms });
  return {
    open: store.open,
    lapse: async () => {
      ms += 3_600_000;
    },
    setClockBack: async () => {
      ms -= 3_600_000;
    },
  };
});
