import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStage, type PostgresStage } from '../events/postgres-queue/stage.ts';

describe('the tables of the queue', () => {
  it('are cleaned by whoever works on them, long before autovacuum would look', async () => {
    const stage = await openStage();
    for (const table of ['queue_groups', 'queue_messages']) {
      await stage.sql.unsafe(`alter table ${table} set (autovacuum_enabled = false)`);
    }
    const [count, atOnce] = [30_000, 500];
    const body = 'x'.repeat(500);
    for (let from = 0; from < count; from += atOnce) {
      const messages = Array.from({ length: atOnce }, (_, at) => ({
        ...{ function: 'f', group: `g${from + at}`, type: 't.v1', body, eventId: `${from + at}` },
      }));
      await stage.queue.send(messages);
      const receiving = { functions: ['f'], max: atOnce, visibilityMs: 60_000, waitMs: 0 };
      const deliveries = await stage.queue.receive(receiving);
      expect(deliveries).toHaveLength(atOnce);
      await stage.queue.settle(deliveries.map(({ receipt }) => receipt));
    }
    // One that is under way is waited for.
    await stage.queue.close();
    const [size] = await stage.sql<{ mebibytes: number }[]>`
      select (pg_table_size('queue_groups') + pg_table_size('queue_messages')) / 2 ^ 20 as mebibytes`;
    // All that went through are 24.
    expect(size?.mebibytes).toBeLessThan(14);
    await stage.close();
  });
});

describe('a worker that is idle', () => {
  let stage: PostgresStage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.close());

  const receive = (waitMs: number) =>
    stage.queue.receive({ functions: ['f'], max: 10, visibilityMs: 30_000, waitMs });
  const sleepers = () => stage.sql`select from queue_sleepers`;

  it('asks the database for nothing while it sleeps', async () => {
    const waiting = receive(4_000);
    await expect.poll(sleepers, { interval: 10 }).toHaveLength(1);
    // The look after the mark, the one after everybody has seen it, and the one after a floor of theirs.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const asked = () => stage.sql`
      select pid, state_change::text from pg_stat_activity
      where application_name = 'gatehouse queue' and datname = current_database()
      order by pid`;
    const before = await asked();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect([...(await asked())]).toEqual([...before]);
    await waiting;
  });

  it('wants no notices any more when it has not slept for a while', async () => {
    await receive(400);
    expect(await sleepers()).toHaveLength(1);
    await expect.poll(sleepers, { timeout: 4_000, interval: 50 }).toHaveLength(0);
  });
});
