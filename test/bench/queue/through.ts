import type { Queue } from '#events/queue.ts';
import { as } from './database.ts';
import { messagesOf } from './messages.ts';
import { batch } from './side.ts';

export type Through = {
  readonly perSecond: number;
  readonly mebibytes: number;
  readonly highestMebibytes: number;
};

const atOnce = 500;
/** More than so many do not wait at a time. */
const backlog = 10_000;

/** So many messages through the queue, sent and received side by side; and how big its tables are by then. */
export async function through(queue: Queue, url: string, count: number): Promise<Through> {
  const began = performance.now();
  let sent = 0;
  let settled = 0;
  let highestMebibytes = 0;
  const send = async (): Promise<void> => {
    while (sent < count) {
      if (sent - settled > backlog) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        continue;
      }
      const from = sent;
      sent += atOnce;
      await queue.send(messagesOf('through', from, atOnce));
      if (from % 50_000 === 0) highestMebibytes = Math.max(highestMebibytes, await size(url));
    }
  };
  const receive = async (): Promise<void> => {
    while (settled < count) {
      const deliveries = await queue.receive({
        ...{ functions: ['through'], max: batch, visibilityMs: 60_000, waitMs: 100 },
      });
      await queue.settle(deliveries.map(({ receipt }) => receipt));
      settled += deliveries.length;
    }
  };
  await Promise.all([send(), ...Array.from({ length: 4 }, receive)]);
  const perSecond = (settled * 1_000) / (performance.now() - began);
  const mebibytes = await size(url);
  return { perSecond, mebibytes, highestMebibytes: Math.max(highestMebibytes, mebibytes) };
}

function size(url: string): Promise<number> {
  return as(url, async (sql) => {
    const [found] = await sql<{ bytes: number }[]>`
      select (pg_total_relation_size('queue_groups')
        + pg_total_relation_size('queue_messages'))::float8 as bytes`;
    return (found?.bytes ?? 0) / 2 ** 20;
  });
}
