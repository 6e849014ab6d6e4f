import type { Sql } from 'postgres';
import { expect } from 'vitest';
import { senderOn } from '#events/postgres-queue/send.ts';
import type { Outgoing, Queue } from '#events/queue.ts';
import type { Fresh } from '../../support/postgres.ts';
import { openStage } from './stage.ts';

const count = 2_000;
const atOnce = 100;
/** A plan is kept after five runs. */
const quietRounds = 12;

/** What is read of both tables for a message of a burst, after a quiet hour in which they count as empty. */
export async function readsOfBurst(fresh: Fresh): Promise<number> {
  let reads = Number.NaN;
  await withQuietQueue(fresh, async ({ sql, queue }) => {
    await sql.begin(async (tx) => {
      for (let from = 0; from < count; from += atOnce) {
        await senderOn(tx).send(messages(from, atOnce));
      }
    });
    await send(queue, count);
    await receiveAll(queue);
    await queue.close();
    const gone = async () => (await readOf(sql)).gone;
    await expect.poll(gone, { timeout: 15_000 }).toBe(2 * count + quietRounds * atOnce);
    const { rows } = await readOf(sql);
    reads = rows / (2 * count);
  });
  return reads;
}

async function withQuietQueue(
  fresh: Fresh,
  work: (place: { readonly sql: Sql; readonly queue: Queue }) => Promise<void>,
): Promise<void> {
  const stage = await openStage(fresh);
  try {
    for (const _ of Array(quietRounds)) {
      await send(stage.queue, atOnce);
      await receiveAll(stage.queue);
    }
    // Its indexes are tall by now, one more than the other: of two that cost the same, the lower one is taken.
    await stage.sql`
      insert into queue_groups (function, key, head, tail, visible_at)
      select 'burst', repeat('long', 40) || at, 1, 0, now() from generate_series(1, 40000) as at`;
    await stage.sql`delete from queue_groups`;
    await stage.sql`vacuum (analyze, truncate false) queue_groups`;
    await stage.sql`vacuum (analyze, truncate false) queue_messages`;
    await work(stage);
  } finally {
    await stage.close();
  }
}

async function send(queue: Queue, all: number): Promise<void> {
  for (let from = 0; from < all; from += atOnce) await queue.send(messages(from + all, atOnce));
}

async function receiveAll(queue: Queue): Promise<void> {
  for (;;) {
    const receiving = { functions: ['burst'], max: 10, visibilityMs: 30_000, waitMs: 0 };
    const deliveries = await queue.receive(receiving);
    if (deliveries.length === 0) return;
    await queue.settle(deliveries.map(({ receipt }) => receipt));
  }
}

function messages(from: number, length: number): readonly Outgoing[] {
  return Array.from({ length }, (_, at) => ({
    ...{ function: 'burst', group: `g${from + at}`, type: 't.v1', body: 'x'.repeat(200) },
    ...{ eventId: `e${from + at}`, mergeKey: `u${from + at}` },
  }));
}

async function readOf(sql: Sql): Promise<{ readonly rows: number; readonly gone: number }> {
  const [read] = await sql<{ rows: number; gone: number }[]>`
    select sum(coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0))::int as rows,
      sum(n_tup_del) filter (where relname = 'queue_messages')::int as gone
    from pg_stat_user_tables where relname in ('queue_groups', 'queue_messages')`;
  return { rows: read?.rows ?? 0, gone: read?.gone ?? 0 };
}
