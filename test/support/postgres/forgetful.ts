import { join } from 'node:path';
import postgres, { type Sql } from 'postgres';
import { pidIn } from '#infra/embedded-postgres/left-over.ts';
import { startPostgres } from '#infra/embedded-postgres/start.ts';
import { freePort } from '#infra/emulator/dev/free-port.ts';
import { readMigrations } from '#infra/migrations/read.ts';
import { migrate } from '#shared/adapters/database/migrate.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { binariesOf } from './keeping.ts';

/** A server of our own, migrated: what it has confirmed since the last checkpoint, it forgets when it dies. */
export type Forgetful = {
  readonly url: string;
  readonly sql: Sql;
  kill(): Promise<void>;
  /** One of its processes dies, upon which it begins anew by itself. */
  crash(): Promise<void>;
  /** Which forgets nothing. */
  restart(): Promise<void>;
  close(): Promise<void>;
};

/** Nothing reaches the disk by itself within a test. */
const settings = { wal_writer_delay: '10s', log_checkpoints: 'off' };

export async function openForgetful(): Promise<Forgetful> {
  const folder = temporaryFolder('gatehouse-forgetful-');
  const port = await freePort();
  const binaries = await binariesOf(process.env['TEST_POSTGRES'] ?? '18');
  const begin = () =>
    startPostgres({
      ...{ folder: join(folder, 'postgres'), elsewhere: folder, isDurable: false, settings },
      ...{ pickPort: async () => port, ...binaries },
    });
  let server = await begin();
  const { url } = server;
  const sql = postgres(url, { max: 4, onnotice: () => undefined });
  await migrate(sql, { migrations: await readMigrations() });
  const isBack = () =>
    until(async () =>
      sql`select`.then(
        () => true,
        () => false,
      ),
    );
  return {
    ...{ url, sql },
    async kill() {
      process.kill(known(await pidIn(join(folder, 'postgres/data'))), 'SIGKILL');
      await server.ended;
      server = await begin();
      await isBack();
    },
    async crash() {
      const [other] = await sql<{ pid: number }[]>`
        select pid from pg_stat_activity where pid <> pg_backend_pid() and datname is not null`;
      process.kill(known(other?.pid), 'SIGKILL');
      await until(async () => sql`select`.then(() => false).catch(() => true));
      await isBack();
    },
    async restart() {
      await server.stop();
      server = await begin();
      await isBack();
    },
    async close() {
      await sql.end({ timeout: 1 });
      await server.stop();
    },
  };
}

function known(pid: number | undefined): number {
  if (pid === undefined) throw new Error('there is no such process');
  return pid;
}
