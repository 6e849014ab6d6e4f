import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { senderOn } from '#events/postgres-queue/send.ts';
import type { Outgoing } from '#events/queue.ts';
import { openStage, type PostgresStage, untilWaiting } from './stage.ts';

let stage: PostgresStage;
beforeAll(async () => {
  stage = await openStage();
});
beforeEach(async () => {
  await stage.sql`truncate queue_groups, queue_messages`;
});
afterAll(() => stage.close());

const message = (group: string, body: string, mergeKey?: string): Outgoing => ({
  ...{ function: 'look', group, type: 'test.v1', body, eventId: `of ${body}`, mergeKey },
});

/** All that waits, group by group, as it will be received. */
async function waiting(): Promise<Readonly<Record<string, readonly string[]>>> {
  const rows = await stage.sql<{ key: string; bodies: string[] }[]>`
    select key, array_agg(body order by position) as bodies
    from queue_groups join queue_messages on group_id = id and position between head and tail
    group by key`;
  return Object.fromEntries(rows.map(({ key, bodies }) => [key, bodies]));
}

const sent = (messages: readonly Outgoing[]) =>
  stage.sql.begin((tx) => senderOn(tx).send(messages));

it('puts several of a new group behind each other, and what comes for one that stands behind what is there', async () => {
  await stage.queue.send([message('old', 'a')]);
  await sent([
    message('new', 'd'),
    message('old', 'b'),
    message('new', 'e'),
    message('other', 'g'),
    message('old', 'c'),
    message('new', 'f'),
  ]);
  expect(await waiting()).toEqual({
    old: ['a', 'b', 'c'],
    new: ['d', 'e', 'f'],
    other: ['g'],
  });
});

it('takes a group for new once: not in the same transaction, nor in the next', async () => {
  await stage.sql.begin(async (tx) => {
    await senderOn(tx).send([message('g', 'a', 'one'), message('g', 'b')]);
    await senderOn(tx).send([message('g', 'again', 'one'), message('g', 'c')]);
  });
  await sent([message('g', 'd'), message('h', 'e')]);
  await sent([message('h', 'f')]);
  expect(await waiting()).toEqual({ g: ['a', 'b', 'c', 'd'], h: ['e', 'f'] });
});

it('waits for whoever begins the same group, and comes behind him', async () => {
  const first = await stage.begin();
  await first.send([message('g', 'a')]);
  const second = stage.queue.send([message('f', 'x'), message('g', 'b')]);
  await untilWaiting(stage.sql, 1);
  await first.commit();
  await second;
  expect(await waiting()).toEqual({ f: ['x'], g: ['a', 'b'] });
});

it('begins what it waited for, where the other one went back', async () => {
  const first = await stage.begin();
  await first.send([message('g', 'a')]);
  const second = stage.queue.send([message('g', 'b')]);
  await untilWaiting(stage.sql, 1);
  await first.rollback();
  await second;
  expect(await waiting()).toEqual({ g: ['b'] });
});

it('begins five hundred at once, each with its own', async () => {
  const all = Array.from({ length: 500 }, (_, at) => message(`group-${at}`, String(at)));
  await sent(all.toReversed());
  const found = await waiting();
  expect(Object.keys(found)).toHaveLength(500);
  expect(all.filter(({ group, body }) => found[group]?.[0] !== body)).toEqual([]);
});
