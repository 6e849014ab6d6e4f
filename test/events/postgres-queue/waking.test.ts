import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Queue } from '#events/queue.ts';
import { median } from '#test/bench/support/statistics.ts';
import { openStage, type PostgresStage } from './stage.ts';

let stage: PostgresStage;
let sender: Queue;
beforeAll(async () => {
  stage = await openStage();
  sender = await stage.another();
});
afterAll(() => stage.close());

const rounds = 20;
/** Of the worker: nobody looks at the queue while it sleeps for less than five seconds. */
const visibilityMs = 30_000;

/** Sent only when it sleeps: the connection that it looks by has been quiet for longer than any look takes. */
async function asleep(): Promise<void> {
  await expect
    .poll(
      () => stage.sql`
        select from pg_stat_activity where application_name = 'gatehouse queue'
          and datname = current_database()
          and (state <> 'idle' or state_change > clock_timestamp() - interval '60 milliseconds')`,
      { timeout: 5_000, interval: 5 },
    )
    .toHaveLength(0);
}

it('wakes an idle worker for a message of another process within moments, twenty times', async () => {
  const tookMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const receiving = { functions: ['f'], max: 10, visibilityMs, waitMs: 20_000 };
    const waiting = stage.queue.receive(receiving);
    await asleep();
    const began = performance.now();
    await sender.send([
      { function: 'f', group: `g${round}`, type: 't.v1', body: '{}', eventId: `${round}` },
    ]);
    const deliveries = await waiting;
    tookMs.push(performance.now() - began);
    await stage.queue.settle(deliveries.map(({ receipt }) => receipt));
  }
  // 20 ms are measured by the bench; without LISTEN it would be seconds. The rest is other people's machine.
  expect(median(tookMs)).toBeLessThan(100);
}, 60_000);
