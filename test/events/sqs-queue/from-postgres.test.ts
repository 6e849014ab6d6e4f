import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { planner } from '#events/postgres-queue/connection.ts';
import { outboxOn } from '#events/postgres-queue/outbox.ts';
import { openOutbox } from '#events/postgres-queue/outbox-relay.ts';
import type { Outgoing } from '#events/queue.ts';
import { longestInline } from '#events/sqs-queue/envelope.ts';
import { relay } from '#events/sqs-queue/relay.ts';
import { openSqsQueue } from '#events/sqs-queue/sqs-queue.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import { openQueueing } from '#shared/runtime/worker/queueing.ts';
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts';
import { functions, openSqsStage, type SqsStage } from './opened.ts';

let stage: SqsStage;
let database: FreshDatabase;
let sql: Sql;

beforeAll(async () => {
  [stage, database] = await Promise.all([openSqsStage(), freshDatabase()]);
  sql = openDatabase(database.url, { name: 'test', connections: 10, parameters: planner }).sql;
});
afterAll(async () => {
  await sql.end({ timeout: 1 });
  await Promise.all([stage.close(), database.drop()]);
});

it('hands on what transactions commit, once and in the order of commits, while two relays fight', async () => {
  const { sqs, prefix } = await stage.open();
  const outbox = openOutbox(sql);
  const queue = openSqsQueue({
    ...{ sqs, prefix, functions, outbox },
    now: Date.now,
    wallNow: Date.now,
    after,
  });
  const committed = new Map<string, string[]>();
  let isSending = true;
  const relaying = [1, 2].map(async () => {
    while (isSending) await relay({ sqs, prefix, outbox, now: Date.now });
  });
  await Promise.all(
    Array.from({ length: 60 }, (_, at) =>
      sendIn(message(`g${at % 4}`, `m${at}`), at % 5 === 0, committed),
    ),
  );
  isSending = false;
  await Promise.all(relaying);
  await relay({ sqs, prefix, outbox, now: Date.now });

  const received = new Map<string, string[]>();
  for (;;) {
    const got = await queue.receive({ functions, max: 10, visibilityMs: 30_000, waitMs: 0 });
    if (got.length === 0) break;
    for (const { group, body } of got) received.set(group, [...(received.get(group) ?? []), body]);
    await queue.settle(got.map(({ receipt }) => receipt));
  }
  expect(received).toEqual(committed);
  expect([...received.values()].flat()).toHaveLength(48);
});

it('ends a wait in time where the machine’s clock is set back, and buries by that clock', async () => {
  const { prefix } = await stage.open();
  const client = stage.server.settings;
  vi.useFakeTimers({ toFake: ['Date'] });
  const { queue, close } = await openQueueing({
    ...{ choice: { kind: 'sqs', prefix, client, pollSeconds: 1 }, url: database.url, sql },
    ...{ cluster: 'default', functions, onTrouble: () => undefined },
  });
  const receiving = { functions, max: 1, visibilityMs: 30_000, waitMs: 300 };
  const waiting = queue.receive(receiving);
  const anHourAgo = Date.now() - 3_600_000;
  vi.setSystemTime(anHourAgo);
  try {
    expect(await Promise.race([waiting, pause(5_000, 'endless')])).toEqual([]);
    await queue.send([message('g', 'a')]);
    const [delivery] = await queue.receive(receiving);
    await queue.bury(delivery?.receipt ?? '', 'bad');
    expect(await queue.listDead({ max: 1 })).toMatchObject([{ buriedAt: new Date(anHourAgo) }]);
  } finally {
    vi.useRealTimers();
    await close();
  }
});

it('keeps a body that is too long in Postgres until it is settled', async () => {
  const { sqs, prefix } = await stage.open();
  const outbox = openOutbox(sql);
  const queue = openSqsQueue({
    ...{ sqs, prefix, functions, outbox },
    now: Date.now,
    wallNow: Date.now,
    after,
  });
  const body = 'x'.repeat(longestInline + 1);
  await queue.send([message('g', body)]);
  const [delivery] = await queue.receive({ functions, max: 1, visibilityMs: 30_000, waitMs: 0 });
  expect(delivery?.body === body).toBe(true);
  expect(await sql`select id from outbox`).toHaveLength(1);
  await queue.settle([delivery?.receipt ?? '']);
  expect(await sql`select id from outbox`).toHaveLength(0);
});

/** Notes what was sent while the group is still locked: in the order in which the commits will be. */
async function sendIn(
  sent: Outgoing,
  isUndone: boolean,
  committed: Map<string, string[]>,
): Promise<void> {
  const { group, body } = sent;
  await sql
    .begin(async (tx) => {
      await outboxOn(tx).send([sent]);
      if (isUndone) throw new Error('undone');
      committed.set(group, [...(committed.get(group) ?? []), body]);
    })
    .catch((cause: unknown) => {
      if (!isUndone) throw cause;
    });
}

function message(group: string, body: string): Outgoing {
  return { function: 'one', group, type: 'tested.v1', body, eventId: 'event' };
}

function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}
