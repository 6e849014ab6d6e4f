import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { senderOn } from '#events/postgres-queue/send.ts';
import type { Outgoing } from '#events/queue.ts';
import { openStage, type PostgresStage, untilWaiting } from './stage.ts';

let stage: PostgresStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const groups = Array.from({ length: 200 }, (_, index) => `group-${index}`);

const messageOf = (group: string): Outgoing => ({
  function: 'look',
  group,
  type: 'test.v1',
  body: '{}',
  eventId: group,
});

describe('the locks of groups', () => {
  it('are taken in one order, so that senders with opposite lists never wait for each other', async () => {
    const forth = groups.map(messageOf);
    const back = forth.toReversed();
    const rounds = Array.from({ length: 40 }, (_, round) => (round % 2 === 0 ? forth : back));
    const ends = await Promise.allSettled(
      rounds.map((messages) => stage.sql.begin((tx) => senderOn(tx).send(messages))),
    );

    expect(ends.filter(({ status }) => status === 'rejected')).toEqual([]);
  });

  it('are taken in that order by who settles as well, whatever the order of his receipts', async () => {
    const both = ['a', 'b'].map((group) => ({ ...messageOf(group), function: 'settled' }));
    // Neither by id nor by receipt is it the order of names.
    for (const each of both.toReversed()) await stage.queue.send([each]);
    const receiving = { functions: ['settled'], max: 2, visibilityMs: 30_000, waitMs: 0 };
    const held = await stage.queue.receive(receiving);
    const backwards = held.toSorted((one, other) => (one.group < other.group ? 1 : -1));

    const sending = await stage.begin();
    await sending.send(both.slice(0, 1));
    const settling = stage.queue.settle(backwards.map(({ receipt }) => receipt));
    await untilWaiting(stage.sql, 1);
    await sending.send(both.slice(1));
    await sending.commit();
    expect(await settling).toEqual([true, true]);
  });
});
