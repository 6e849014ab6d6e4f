import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres, { type Sql } from 'postgres';
import { startPostgres } from '#infra/embedded-postgres/start.ts';
import { readMigrations } from '#infra/migrations/read.ts';
import { migrate } from '#shared/adapters/database/migrate.ts';
import { binariesOf, packagedMajor } from '../support/postgres.ts';
import { alsoStop } from '../support/processes.ts';

export type BenchServer = {
  /** Another database of the same server. */
  make(name: string): Promise<string>;
};

/** As `npm start` has it, and as durable: fsync, synchronous_commit and full_page_writes stand as they come. */
export async function openServer(major = packagedMajor): Promise<BenchServer> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const server = await startPostgres({ folder, ...(await binariesOf(major)) });
  alsoStop(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  await mustBeDurable(server.url);
  return {
    make: async (name) => {
      await as(server.url, (sql) => sql.unsafe(`create database ${name}`));
      return Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
    },
  };
}

export async function makeMigrated(server: BenchServer, name: string): Promise<string> {
  const url = await server.make(name);
  const migrations = await readMigrations();
  await as(url, (sql) => migrate(sql, { migrations }));
  return url;
}

export async function as<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

/** As autovacuum leaves it a minute later: the planner knows what is there. */
export async function analyzed(url: string): Promise<void> {
  await as(url, (sql) => sql.unsafe('vacuum (analyze)'));
}

async function mustBeDurable(url: string): Promise<void> {
  const off = await as(
    url,
    (sql) => sql<{ name: string }[]>`
      select name from pg_settings
      where name in ('fsync', 'synchronous_commit', 'full_page_writes') and setting <> 'on'`,
  );
  if (off.length > 0) throw new Error(`not durable: ${off.map(({ name }) => name).join(', ')}`);
}
