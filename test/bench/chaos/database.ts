import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres, { type Sql } from 'postgres';
import { pidIn } from '#infra/embedded-postgres/left-over.ts';
import { startPostgres } from '#infra/embedded-postgres/start.ts';
import { readMigrations } from '#infra/migrations/read.ts';
import { migrate } from '#shared/adapters/database/migrate.ts';

/** An embedded Postgres that is killed and started again, always under one address. */
export type MortalDatabase = {
  readonly port: number;
  readonly url: string;
  restart(): Promise<void>;
  /** Without a word, as by a power cut of its process. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

export async function openDatabase(isDurable: boolean): Promise<MortalDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-chaos-'));
  // The user whom root lends the server to has to get in.
  await chmod(folder, 0o755);
  const port = await freePort();
  const settings = { max_connections: '100', log_checkpoints: 'off' };
  const place = { folder: join(folder, 'postgres'), elsewhere: folder };
  const begin = () => startPostgres({ ...place, isDurable, settings, pickPort: async () => port });
  let server = await begin();
  await as(server.url, async (sql) => migrate(sql, { migrations: await readMigrations() }));
  return {
    port,
    url: server.url,
    async restart() {
      await server.stop();
      server = await begin();
    },
    async kill() {
      const pid = await pidIn(join(place.folder, 'data'));
      if (pid === undefined) throw new Error('Postgres is not where it was looked for');
      process.kill(pid, 'SIGKILL');
      await server.ended;
    },
    async start() {
      server = await begin();
    },
    async close() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function as<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
  });
  return promise;
}
