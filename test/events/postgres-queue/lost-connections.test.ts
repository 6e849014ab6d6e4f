import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outgoing } from '#events/queue.ts';
import { until } from '#test/support/until.ts';
import { openStage, type PostgresStage } from './stage.ts';

let stage: PostgresStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const message = (group: string): Outgoing => ({
  function: 'look',
  group,
  type: 'test.v1',
  body: '{}',
  eventId: group,
});

function killBackends(): PromiseLike<unknown> {
  return stage.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'gatehouse queue'`;
}

describe('the queue whose connections are lost', () => {
  it('fails what was under way and answers what comes after, a hundred times', async () => {
    const sent = new Set<string>();
    for (let round = 0; round < 100; round += 1) {
      const group = `group-${round}`;
      const sending = stage.queue.send([message(group)]).then(
        () => sent.add(group),
        () => undefined,
      );
      await Promise.all([sending, killBackends()]);
    }
    const received = new Set<string>();
    await until(async () => {
      const receiving = { functions: ['look'], max: 10, visibilityMs: 60_000, waitMs: 0 };
      const deliveries = await stage.queue.receive(receiving).catch(() => []);
      for (const { group } of deliveries) received.add(group);
      return [...sent].every((group) => received.has(group));
    });

    expect(sent.size).toBeGreaterThan(0);
  });
});
