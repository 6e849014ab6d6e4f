import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queueContract } from '../contracts/queue.ts';
import { readsOfBurst } from '../events/postgres-queue/burst.ts';
import { openStage, type PostgresStage } from '../events/postgres-queue/stage.ts';
import { postgresForTests } from '../support/postgres.ts';

describe.each(['15', '18'])('on Postgres %s', (major) => {
  let stage: PostgresStage;
  let cases = 0;
  beforeAll(async () => {
    stage = await openStage((await postgresForTests(major)).freshDatabase);
  });
  afterAll(() => stage.close());

  queueContract(`queue of Postgres ${major}`, async () => {
    cases += 1;
    const functions = [`one-${cases}`, `two-${cases}`, `three-${cases}`] as const;
    return {
      ...{ queue: stage.queue, functions, begin: stage.begin },
      advance: (ms) => stage.advance(functions, ms),
    };
  });
});

it('reads a few rows for a message of a burst, planned as of empty tables, on Postgres 15 as well', async () => {
  expect(await readsOfBurst((await postgresForTests('15')).freshDatabase)).toBeLessThan(40);
}, 60_000);

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
    const waiting = receive(3_000);
    await expect.poll(sleepers, { interval: 10 }).toHaveLength(1);
    // The look after the mark, and the one after everybody has seen it.
    await new Promise((resolve) => setTimeout(resolve, 500));
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
