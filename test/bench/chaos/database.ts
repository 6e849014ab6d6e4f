import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import postgres, { type Sql } from 'postgres';
import { pidIn } from '#infra/embedded-postgres/left-over.ts';
import { startPostgres } from '#infra/embedded-postgres/start.ts';
import { readMigrations } from '#infra/migrations/read.ts';
import { migrate } from '#shared/adapters/database/migrate.ts';
import { binariesOf, packagedMajor } from '../support/postgres.ts';
import { noteLapses } from './lapses.ts';
import { monotonicMs } from './runs.ts';
import { mountDisk, type SmallDisk } from './small-disk.ts';

/** An embedded Postgres that is killed and started again, always under one address. */
export type MortalDatabase = {
  readonly port: number;
  /** Of a user who owns one database, and may do nothing else. */
  readonly url: string;
  /** Of whoever may do everything there. */
  readonly operatorUrl: string;
  /** What it stands on, where that is one of its own. */
  readonly disk: SmallDisk | undefined;
  /** Each time, by the clock of the runs. */
  readonly startedAt: readonly number[];
  restart(): Promise<void>;
  /** Without a word, as by a power cut of its process. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** It may have ended, or be about to, or start again by itself. */
  revive(): Promise<void>;
  close(): Promise<void>;
};

type Kind = { readonly diskMegabytes?: number | undefined; readonly major?: number | undefined };

export async function openDatabase(
  isDurable: boolean,
  { diskMegabytes, major = packagedMajor }: Kind = {},
): Promise<MortalDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-chaos-'));
  // The user whom root lends the server to has to get in.
  await chmod(folder, 0o755);
  const disk = diskMegabytes === undefined ? undefined : mountDisk(folder, diskMegabytes);
  const port = await freePort();
  const settings = { max_connections: '100', log_checkpoints: 'off', ...(disk && ofSmallDisk) };
  const place = {
    ...{ folder: join(folder, 'postgres'), elsewhere: folder },
    ...(await binariesOf(major)),
  };
  const startedAt: number[] = [];
  const begin = () => {
    startedAt.push(monotonicMs());
    return startPostgres({ ...place, isDurable, settings, pickPort: async () => port });
  };
  let server = await begin();
  const { url, operatorUrl } = await furnish(server.url);
  return {
    ...{ port, url, operatorUrl, disk, startedAt },
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
    async revive() {
      const isDown = server.ended.then(() => true);
      while (!(await answers(operatorUrl))) {
        if (!(await Promise.race([isDown, after(100, false)]))) continue;
        server = await begin();
        return;
      }
    },
    async close() {
      await server.stop();
      disk?.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Nothing is given back of what rows took: each one more needs room. */
const ofSmallDisk = { autovacuum: 'off', max_wal_size: '32MB', min_wal_size: '32MB' };

/** A user and a database of his, as the one whom `DATABASE_URL` names. */
async function furnish(serverUrl: string) {
  const name = 'chaos';
  const password = randomBytes(12).toString('hex');
  await as(serverUrl, async (sql) => {
    await sql.unsafe(`create role ${name} login password '${password}'`);
    await sql.unsafe(`create database ${name} owner ${name}`);
  });
  const operatorUrl = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  const url = Object.assign(new URL(operatorUrl), { username: name, password }).href;
  await as(url, async (sql) => {
    await migrate(sql, { migrations: await readMigrations() });
    await noteLapses(sql);
  });
  return { url, operatorUrl };
}

async function answers(url: string): Promise<boolean> {
  return as(url, (sql) => sql`select`).then(
    () => true,
    () => false,
  );
}

/** In bounded time: a server that panics may leave a question without an answer. */
export async function as<T>(
  url: string,
  work: (sql: Sql) => Promise<T>,
  /** The server may die of it: of a question of the library's own, for the types, only the process would be told. */
  { isMortal = false } = {},
): Promise<T> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: answerMs / 1_000,
    fetch_types: !isMortal,
    onnotice: () => undefined,
  });
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the database did not answer')), answerMs);
  try {
    return await Promise.race([work(sql), late]);
  } finally {
    clearTimeout(timer);
    await sql.end({ timeout: 1 });
  }
}

const answerMs = 30_000;

async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
  });
  return promise;
}
