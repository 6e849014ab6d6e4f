import type { Queue } from '#events/queue.ts';
import { postgresQueue } from '#test/support/postgres-queue.ts';
import { analyzed, as } from './database.ts';
import { messagesOf } from './messages.ts';
import { batch, lanes, type QueueSide } from './side.ts';

export async function gatehouseSide(url: string): Promise<QueueSide & { readonly queue: Queue }> {
  const queue = await postgresQueue(url, lanes);
  return {
    queue,
    async fill(count, groups) {
      await as(url, (sql) => sql`truncate queue_groups, queue_messages`);
      for (let from = 0; from < count; from += 500) {
        await queue.send(messagesOf('bench', from, Math.min(500, count - from), groups));
      }
      await analyzed(url);
    },
    takeBatch: () => takeBatch(queue),
    close: () => queue.close(),
  };
}

async function takeBatch(queue: Queue): Promise<number> {
  const deliveries = await queue.receive({
    ...{ functions: ['bench'], max: batch, visibilityMs: 60_000, waitMs: 0 },
  });
  const settled = await queue.settle(deliveries.map(({ receipt }) => receipt));
  if (settled.includes(false)) throw new Error('a settle was refused');
  return deliveries.length;
}

/** Straight into the tables: through the door it takes minutes. */
export async function fillAtOnce(url: string, count: number): Promise<void> {
  const [message] = messagesOf('bench', 0, 1);
  await as(url, async (sql) => {
    await sql`
      insert into queue_groups (function, key, head, tail, visible_at)
      select 'bench', 'bench/bench/pods/team-' || at % 97 || '/pod-' || at, 1, 1,
        now() - interval '1 minute'
      from generate_series(1, ${count}::int) as at`;
    await sql`
      insert into queue_messages (group_id, position, type, body, event_id, subject, attempt,
        merge_key, created_at)
      select id, 1, 'object.changed.v1', ${message?.body ?? ''}, 'uid-' || id || '/1/MODIFIED',
        'uid-' || id, 0, 'uid-' || id || '/false', now()
      from queue_groups`;
  });
  await analyzed(url);
}
