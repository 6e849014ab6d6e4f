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

it('drops more groups than it locks at once', async () => {
  await stage.sql`
    insert into queue_groups (function, key, head, tail, visible_at)
    select 'many', 'g' || n, 1, 1, now() from generate_series(1, 4001) as n`;
  await stage.sql`
    insert into queue_messages (group_id, position, type, body, event_id, attempt, created_at)
    select id, 1, 't.v1', '{}', 'e', 0, now() from queue_groups where function = 'many'`;
  expect(await stage.queue.purge('many')).toBe(4_001);
  expect(await stage.sql`select from queue_groups where function = 'many'`).toHaveLength(0);
});
