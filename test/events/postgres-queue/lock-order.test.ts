import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { senderOn } from '#events/postgres-queue/send.ts';
import type { Outgoing } from '#events/queue.ts';
import { openStage, type PostgresStage } from './stage.ts';

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
});
