import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outboxOn } from '#events/postgres-queue/outbox.ts';
import type { Outgoing } from '#events/queue.ts';
import { openStage, type PostgresStage } from './stage.ts';

let stage: PostgresStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

function message(body: string, group: string): Outgoing {
  return { function: 'f', group, type: 't.v1', body, eventId: `event of ${body}`, subject: 'u' };
}

describe('the outbox', () => {
  it('numbers the messages of a group in the order of commits', async () => {
    const sent = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const first = stage.sql.begin(async (tx) => {
      await outboxOn(tx).send([message('first', 'g')]);
      sent.resolve();
      await commit.promise;
    });
    await sent.promise;
    const second = stage.sql.begin((tx) => outboxOn(tx).send([message('second', 'g')]));
    // It has its place only when the first one is over.
    await expect
      .poll(() => stage.sql`select from pg_locks where locktype = 'advisory' and not granted`, {
        interval: 5,
      })
      .toHaveLength(1);
    commit.resolve();
    await Promise.all([first, second]);
    const rows = await stage.sql`select body from outbox order by id`;
    expect(rows.map((row) => row['body'])).toEqual(['first', 'second']);
  });

  it('lets transactions with the same groups in another order pass', async () => {
    const groups = Array.from({ length: 30 }, (_, at) => `g${at}`);
    const send = (names: readonly string[]) =>
      stage.sql.begin((tx) => outboxOn(tx).send(names.map((name) => message('m', name))));
    const rounds = [1, 2, 3, 4, 5].flatMap(() => [send(groups), send(groups.toReversed())]);
    await Promise.all(rounds);
    const rows = await stage.sql`select from outbox where body = 'm'`;
    expect(rows).toHaveLength(300);
  });

  it('keeps the order of a batch', async () => {
    const bodies = Array.from({ length: 50 }, (_, at) => `b${at}`);
    await stage.sql.begin((tx) => outboxOn(tx).send(bodies.map((body) => message(body, 'h'))));
    const rows = await stage.sql`select body from outbox where key = 'h' order by id`;
    expect(rows.map((row) => row['body'])).toEqual(bodies);
  });
});
