import type { Sql } from 'postgres';
import { afterAll, beforeAll } from 'vitest';
import { mirrorInMemory } from '#infra/emulator/testing/mirror-in-memory.ts';
import { mirrorOn } from '#shared/adapters/database/mirror.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { mirrorWriter } from '#test/support/mirror-writer.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { mirrorContract } from './mirror.ts';

const opened: Sql[] = [];
afterAll(async () => {
  await Promise.all(opened.map((sql) => sql.end()));
});

async function openSql(): Promise<Sql> {
  const { url } = await freshDatabase();
  const sql = postgres(url, { max: 4, onnotice: () => undefined });
  opened.push(sql);
  return sql;
}

const shared = openSql();
let cases = 0;
/** The server may have to be started, on a machine that does other things. */
beforeAll(async () => void (await shared), 30_000);

mirrorContract('the mirror on Postgres', async () => {
  const sql = await shared;
  cases += 1;
  const cluster = `c${cases}`;
  const elsewhere = () => mirrorOn(sql, { cluster: 'elsewhere' });
  return { mirror: mirrorOn(sql, { cluster }), ...mirrorWriter(sql, cluster), elsewhere };
});

mirrorContract('the mirror in memory', async () => {
  const mirror = mirrorInMemory();
  return {
    mirror,
    put: async (...given) => mirror.put(...given),
    remove: async (...given) => mirror.remove(...given),
    elsewhere: () => mirrorInMemory(),
  };
});
