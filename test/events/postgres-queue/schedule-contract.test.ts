import { afterAll, beforeAll } from 'vitest';
import { scheduleOn } from '#events/postgres-queue/schedule.ts';
import { senderOn } from '#events/postgres-queue/send.ts';
import { scheduleContract } from '../../contracts/schedule.ts';
import { openStage, type PostgresStage } from './stage.ts';

let stage: PostgresStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

scheduleContract('schedule in Postgres', async () => {
  const { sql, queue } = stage;
  await sql`truncate wakeups, queue_groups, queue_messages`;
  const schedule = scheduleOn({ sql, sender: senderOn });
  return {
    ...{ schedule, queue, functions: ['one', 'two'] },
    // Instead of the clock, what was written down goes back.
    async advance(ms) {
      await sql`update wakeups set due_at = due_at - ${ms} * interval '1 millisecond'`;
    },
  };
});
