import type { Sql } from 'postgres';
import { afterAll, beforeAll } from 'vitest';
import { planner } from '#events/postgres-queue/connection.ts';
import { openOutbox } from '#events/postgres-queue/outbox-relay.ts';
import type { Queue } from '#events/queue.ts';
import type { Outbox, Unsent } from '#events/sqs-queue/outbox.ts';
import { openSqs, type Sqs } from '#events/sqs-queue/sqs.ts';
import { openSqsQueue } from '#events/sqs-queue/sqs-queue.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import { queueContract } from '../contracts/queue.ts';
import { beginOutbox } from '../events/postgres-queue/outbox-transaction.ts';
import { lacks } from '../events/sqs-queue/lacks.ts';
import { functions } from '../events/sqs-queue/opened.ts';
import { type SqsServer, startSqs } from '../events/sqs-queue/server.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';

let server: SqsServer;
let fresh: FreshDatabase;
let sql: Sql;
let sqs: Sqs;
let cases = 0;

beforeAll(async () => {
  [server, fresh] = await Promise.all([startSqs(), freshDatabase()]);
  sql = openDatabase(fresh.url, { name: 'test', connections: 12, parameters: planner }).sql;
  sqs = openSqs(server.settings);
}, 60_000);
afterAll(async () => {
  sqs.close();
  await Promise.all([sql.end({ timeout: 1 }), server.stop()]);
  await fresh.drop();
});

queueContract('SQS by fauxqs, behind the outbox in Postgres', openOne, lacks);

async function openOne() {
  await sql`truncate outbox`;
  const prefix = `gatehouse-real-${++cases}`;
  await server.createQueues(prefix, functions);
  const outbox = byClockOf(server, openOutbox(sql));
  const { now } = server;
  const parts = { sqs, prefix, functions, outbox, now, wallNow: now, after, pollSeconds: 1 };
  const queue = openSqsQueue(parts);
  return { queue, functions, advance: server.advance, begin: () => begin(queue), end: queue.close };
}

async function begin(queue: Queue) {
  const transaction = await beginOutbox(sql);
  return {
    ...transaction,
    async commit() {
      await transaction.commit();
      // Nothing to send: it only wakes the relay.
      await queue.send([]);
    },
  };
}

/** The database's clock cannot be put forward: what it says of the time is told as the other clock has it. */
function byClockOf({ now }: SqsServer, outbox: Outbox): Outbox {
  const told = (unsent: Unsent): Unsent => ({
    ...unsent,
    async take(taking) {
      const aheadMs = now() - Date.now();
      const rows = await unsent.take(taking);
      return rows.map((row) => ({ ...row, sentAtMs: row.sentAtMs + aheadMs }));
    },
  });
  return { ...outbox, alone: (work) => outbox.alone((unsent) => work(told(unsent))) };
}

function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}
