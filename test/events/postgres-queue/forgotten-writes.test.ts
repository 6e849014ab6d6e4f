import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scheduleOn } from '#events/postgres-queue/schedule.ts';
import { senderOn } from '#events/postgres-queue/send.ts';
import type { Delivery, Outgoing, Queue } from '#events/queue.ts';
import { type Forgetful, openForgetful } from '#test/support/postgres/forgetful.ts';
import { postgresQueue } from '#test/support/postgres-queue.ts';

const message: Outgoing = {
  ...{ function: 'look', group: 'g', type: 'test.v1', body: '{}', eventId: 'e' },
};

describe('what relies on something that the server has forgotten', () => {
  let server: Forgetful;
  let queue: Queue;
  let delivery: Delivery | undefined;

  beforeAll(async () => {
    server = await openForgetful();
    queue = await postgresQueue(server.url);
  }, 60_000);
  afterAll(async () => {
    await queue.close();
    await server.close();
  });
  beforeEach(async () => {
    const { sql } = server;
    await sql`truncate queue_groups, queue_messages, wakeups`;
    await queue.send([message]);
    delivery = await received();
    await sql`checkpoint`;
    const again = { message, reason: 'retry', afterMs: 0 } as const;
    await scheduleOn({ sql, sender: senderOn }).add([again]);
  });

  async function received(): Promise<Delivery | undefined> {
    const receiving = { functions: ['look'], max: 1, visibilityMs: 60_000, waitMs: 0 };
    return (await queue.receive(receiving))[0];
  }
  const settle = (...deliveries: readonly (Delivery | undefined)[]) =>
    queue.settle(deliveries.map((each) => each?.receipt ?? ''));

  it.each([
    { how: 'is killed', end: () => server.kill() },
    { how: 'loses one of its processes', end: () => server.crash() },
  ])('is not settled where it $how, and received again at once', async ({ end }) => {
    await end();
    expect(await server.sql`select from wakeups`).toHaveLength(0);

    expect(await settle(delivery)).toEqual([false]);
    const next = await received();
    expect(next).toMatchObject({ eventId: 'e', received: 1 });
    expect(await settle(delivery, next)).toEqual([false, true]);
  });

  it('is settled where it was shut down, which forgets nothing', async () => {
    await server.restart();
    expect(await server.sql`select from wakeups`).toHaveLength(1);

    expect(await settle(delivery)).toEqual([true]);
    expect(await received()).toBeUndefined();
  });
});
