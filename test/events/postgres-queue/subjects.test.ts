import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outboxOn } from '#events/postgres-queue/outbox.ts';
import { scheduleOn } from '#events/postgres-queue/schedule.ts';
import { senderOn } from '#events/postgres-queue/send.ts';
import { isNamedIn } from '#events/postgres-queue/subjects.ts';
import type { Outgoing } from '#events/queue.ts';
import { openStage, type PostgresStage } from './stage.ts';

let stage: PostgresStage;
beforeAll(async () => {
  stage = await openStage();
}, 30_000);
afterAll(() => stage.close());

/** A message of a function, and so of a case, of its own. */
function about(subject: string): Outgoing {
  const of = { function: `wakes for ${subject}`, group: 'g', type: 't.v1' };
  return { ...of, body: '{}', eventId: 'e', subject };
}

/** As the sweep asks of tombstones. */
async function namedOf(...uids: readonly string[]): Promise<readonly string[]> {
  const found = await stage.sql<{ uid: string }[]>`
    select o.uid from unnest(${uids}::text[]) as o (uid)
    where ${isNamedIn(stage.sql)} order by o.uid`;
  return found.map(({ uid }) => uid);
}

async function receive(message: Outgoing) {
  const [delivery] = await stage.queue.receive({
    ...{ functions: [message.function], max: 1, visibilityMs: 30_000, waitMs: 0 },
  });
  if (delivery === undefined) throw new Error('nothing waits');
  return delivery;
}

const waiting: readonly [string, (message: Outgoing) => Promise<unknown>][] = [
  ['in the queue', (message) => stage.queue.send([message])],
  [
    'in the hands of somebody',
    async (message) => {
      await stage.queue.send([message]);
      await receive(message);
    },
  ],
  [
    'among what was put aside',
    async (message) => {
      await stage.queue.send([message]);
      await stage.queue.bury((await receive(message)).receipt, 'on purpose');
    },
  ],
  [
    'for its time',
    (message) =>
      scheduleOn({ sql: stage.sql, sender: senderOn }).add([
        { message, reason: 'later', afterMs: 60_000 },
      ]),
  ],
  [
    'for another queue to take it',
    (message) => stage.sql.begin((tx) => outboxOn(tx).send([message])),
  ],
];

describe('an object', () => {
  it.each(waiting)('is named while a message of it waits %s', async (where, put) => {
    await put(about(where));
    expect(await namedOf(where, `not ${where}`)).toEqual([where]);
  });

  it('is named no more once its message is done', async () => {
    const message = about('done');
    await stage.queue.send([message]);
    const { receipt } = await receive(message);
    expect(await namedOf('done')).toEqual(['done']);
    await stage.queue.settle([receipt]);
    expect(await namedOf('done')).toEqual([]);
  });
});
