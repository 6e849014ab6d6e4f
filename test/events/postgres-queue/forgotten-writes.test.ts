import { createServer } from 'node:net';
import { join } from 'node:path';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scheduleOn } from '#events/postgres-queue/schedule.ts';
import { senderOn } from '#events/postgres-queue/send.ts';
import type { Delivery, Outgoing, Queue } from '#events/queue.ts';
import type { Schedule } from '#events/schedule.ts';
import { pidIn } from '#infra/embedded-postgres/left-over.ts';
import { type EmbeddedPostgres, startPostgres } from '#infra/embedded-postgres/start.ts';
import { readMigrations } from '#infra/migrations/read.ts';
import { migrate } from '#shared/adapters/database/migrate.ts';
import { binariesOf } from '#test/support/postgres/keeping.ts';
import { postgresQueue } from '#test/support/postgres-queue.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { until } from '#test/support/until.ts';

const message: Outgoing = {
  ...{ function: 'look', group: 'g', type: 'test.v1', body: '{}', eventId: 'e' },
};
const again = { message, reason: 'retry', afterMs: 0 } as const;
/** Nothing that is confirmed reaches the disk by itself before the server is killed. */
const forgetful = { wal_writer_delay: '10s', log_checkpoints: 'off' };

const folder = temporaryFolder('gatehouse-forgotten-');
let port: number;
let server: EmbeddedPostgres;
let sql: Sql;
let queue: Queue;
let schedule: Schedule;

async function start(): Promise<EmbeddedPostgres> {
  return startPostgres({
    ...{ folder: join(folder, 'postgres'), elsewhere: folder, isDurable: false },
    ...{ settings: forgetful, pickPort: async () => port },
    ...(await binariesOf(process.env['TEST_POSTGRES'] ?? '18')),
  });
}

async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const listening = createServer().listen(0, '127.0.0.1', () => {
    const address = listening.address();
    listening.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
  });
  return promise;
}

const answers = () =>
  sql`select`.then(
    () => true,
    () => false,
  );

async function received(): Promise<Delivery | undefined> {
  const receiving = { functions: ['look'], max: 1, visibilityMs: 60_000, waitMs: 0 };
  return (await queue.receive(receiving))[0];
}

beforeAll(async () => {
  port = await freePort();
  server = await start();
  sql = postgres(server.url, { max: 2, onnotice: () => undefined });
  await migrate(sql, { migrations: await readMigrations() });
  queue = await postgresQueue(server.url);
  schedule = scheduleOn({ sql, sender: senderOn });
}, 60_000);
afterAll(async () => {
  await queue.close();
  await sql.end({ timeout: 1 });
  await server.stop();
});

describe('what relies on something that the server has forgotten', () => {
  let delivery: Delivery | undefined;

  beforeEach(async () => {
    await sql`truncate queue_groups, queue_messages, wakeups`;
    await queue.send([message]);
    delivery = await received();
    await sql`checkpoint`;
    await schedule.add([again]);
  });
  const settle = async () => (await queue.settle([delivery?.receipt ?? '']))[0];

  it.each([
    {
      how: 'is killed',
      async end() {
        process.kill((await pidIn(join(folder, 'postgres/data'))) ?? 0, 'SIGKILL');
        await server.ended;
        server = await start();
      },
    },
    {
      how: 'loses one of its processes',
      async end() {
        const [other] = await sql<{ pid: number }[]>`
          select pid from pg_stat_activity where pid <> pg_backend_pid() and datname is not null`;
        process.kill(other?.pid ?? 0, 'SIGKILL');
        await until(async () => !(await answers()));
      },
    },
  ])('is not settled where it $how, and received again at once', async ({ end }) => {
    await end();
    await until(answers);
    expect(await sql`select from wakeups`).toHaveLength(0);

    expect(await settle()).toBe(false);
    const next = await received();
    expect(next).toMatchObject({ eventId: 'e', received: 1 });
    expect(await queue.settle([delivery?.receipt ?? '', next?.receipt ?? ''])).toEqual([
      false,
      true,
    ]);
  });

  it('is settled where it was shut down, which forgets nothing', async () => {
    await server.stop();
    server = await start();
    await until(answers);
    expect(await sql`select from wakeups`).toHaveLength(1);

    expect(await settle()).toBe(true);
    expect(await received()).toBeUndefined();
  });
});
