import { join } from 'node:path';
import type { Sql } from 'postgres';
import { startPostgres } from '#infra/embedded-postgres/start.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';

/** As a version that is not written yet leaves the database of a state folder. It must be there as it was left. */
export async function whileOfNewerSchema(state: string, work: () => Promise<void>): Promise<void> {
  await inDatabaseOf(
    state,
    (sql) => sql`insert into gatehouse_migrations values ('9999_newer', 'n', false)`,
  );
  await work();
  await inDatabaseOf(state, async (sql) => {
    const { count } = await sql`delete from gatehouse_migrations where name = '9999_newer'`;
    if (count !== 1) throw new Error('the schema is not as it was left');
  });
}

async function inDatabaseOf(state: string, work: (sql: Sql) => Promise<unknown>): Promise<void> {
  const postgres = await startPostgres({ folder: join(state, 'postgres') });
  const database = openDatabase(postgres.url, { name: 'test', connections: 1 });
  try {
    await work(database.sql);
  } finally {
    await database.close();
    await postgres.stop();
  }
}
