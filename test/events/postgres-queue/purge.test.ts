import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Outgoing } from '#events/queue.ts';
import { openStage, type PostgresStage, untilWaiting } from './stage.ts';

let stage: PostgresStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const message = (body: string): Outgoing => ({
  ...{ function: 'look', group: 'g', type: 'test.v1', body, eventId: `of ${body}` },
});

it('waits for whoever sends to a group, and drops what he sent with the group', async () => {
  await stage.queue.send([message('a')]);
  const sending = await stage.begin();
  await sending.send([message('b')]);
  const purging = stage.queue.purge('look');
  await untilWaiting(stage.sql, 1);
  await sending.commit();
  expect(await purging).toBe(2);
  expect(await stage.sql`select from queue_messages`).toHaveLength(0);
});
