import { setTimeout as after } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Outgoing, Queue } from '#events/queue.ts';
import { openStage, type PostgresStage } from './stage.ts';

let stage: PostgresStage;
let queue: Queue;
beforeAll(async () => {
  stage = await openStage();
});
beforeEach(async () => {
  await stage.sql`truncate queue_groups, queue_messages, queue_sleepers`;
  queue = await stage.another({ floorsLastMs: 50 });
});
afterEach(() => queue.close());
afterAll(() => stage.close());

function message(body: string, group = 'g'): Outgoing {
  return { function: 'f', group, type: 't.v1', body, eventId: `event of ${body}` };
}

/** Whoever is not told looks again after five seconds; where it began at a floor, once that is good no more. */
const quickly = 2_500;

const receive = (from: Queue, more: { waitMs?: number; visibilityMs?: number } = {}) =>
  from.receive({ functions: ['f'], max: 10, visibilityMs: 30_000, waitMs: 10_000, ...more });

async function asleep(quietMs = 300): Promise<void> {
  await expect
    .poll(() => stage.sql`select from queue_sleepers`, { timeout: 2_000, interval: 10 })
    .toHaveLength(1);
  // Marked, it looks again, at growing intervals while anybody may not have seen the mark.
  await expect
    .poll(
      () => stage.sql`
        select from pg_stat_activity where application_name = 'gatehouse queue'
          and datname = current_database()
          and (state <> 'idle' or state_change > clock_timestamp() - ${quietMs} * interval '1 millisecond')`,
      { timeout: 2_000, interval: 10 },
    )
    .toHaveLength(0);
}

async function millis(work: Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work;
  return performance.now() - began;
}

it('hands nothing over that comes when it is closed', async () => {
  const leaving = await stage.another();
  await queue.send([message('a')]);
  await leaving.close();
  expect(await receive(leaving)).toEqual([]);
});

describe('whoever sleeps', () => {
  it('is woken by a send of another process', async () => {
    const other = await stage.another();
    const waiting = receive(queue);
    await asleep();
    const took = millis(waiting);
    await other.send([message('a')]);
    expect(await took).toBeLessThan(quickly);
  });

  it('is woken by a transaction that was under way when it lay down', async () => {
    const transaction = await stage.begin();
    await transaction.send([message('a')]);
    const waiting = receive(queue);
    // The commit falls into its looks.
    await asleep(0);
    const took = millis(waiting);
    await transaction.commit();
    expect(await took).toBeLessThan(quickly);
  });

  it('goes on looking as long as a transaction is under way that may not have seen it lie down', async () => {
    const transaction = await stage.begin();
    await transaction.send([message('a')]);
    const waiting = receive(queue);
    await asleep(0);
    // Whoever took it for seen would have looked for the last time by now.
    await after(200);
    const took = millis(waiting);
    await transaction.commit();
    expect(await took).toBeLessThan(quickly);
  });

  it('is woken for the rest of a group by whoever settles and leaves', async () => {
    const leaving = await stage.another();
    await leaving.send([message('a'), message('b')]);
    const [held] = await receive(leaving);
    const waiting = receive(queue);
    await asleep();
    const took = millis(waiting);
    await leaving.settle([held?.receipt ?? '']);
    expect(await took).toBeLessThan(quickly);
  });

  it('is woken when the visibility of another process runs out', async () => {
    const dying = await stage.another();
    await dying.send([message('a')]);
    await receive(dying, { visibilityMs: 300 });
    const took = await millis(receive(queue));
    expect(took).toBeGreaterThan(200);
    expect(took).toBeLessThan(quickly);
  });

  it('looks at once when the connection that listened was lost and is back', async () => {
    const waiting = receive(queue);
    await asleep();
    const transaction = await stage.begin();
    await transaction.send([message('a')]);
    const took = millis(waiting);
    const listeners = await stage.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'listen%'`;
    expect(listeners.length).toBeGreaterThan(0);
    // Nobody is there to hear of it.
    await transaction.commit();
    expect(await took).toBeLessThan(quickly);
  });
});

describe('a notice', () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

  async function listening(): Promise<readonly string[]> {
    const heard: string[] = [];
    const { unlisten } = await stage.sql.listen('gatehouse_queue', (notice) => heard.push(notice));
    ends.push(unlisten);
    return heard;
  }

  /** Notices come in the order of commits. */
  async function over(heard: readonly string[]): Promise<readonly string[]> {
    await stage.sql.notify('gatehouse_queue', 'over');
    await expect.poll(() => heard.at(-1), { interval: 5 }).toBe('over');
    return heard.slice(0, -1);
  }

  it('is not sent while nobody sleeps', async () => {
    const heard = await listening();
    await queue.send([message('a')]);
    const transaction = await stage.begin();
    await transaction.send([message('b')]);
    await transaction.commit();
    expect(await over(heard)).toEqual([]);
  });

  it('is sent once for a transaction, however much it sends', async () => {
    await stage.sql`insert into queue_sleepers (until_at) values (now() + interval '1 minute')`;
    const heard = await listening();
    const transaction = await stage.begin();
    for (const group of ['g', 'h']) await transaction.send([message('a', group)]);
    await transaction.commit();
    expect(await over(heard)).toEqual(['["f"]']);
  });

  it('is not sent any more for somebody whose time is over', async () => {
    await stage.sql`insert into queue_sleepers (until_at) values (now() - interval '1 second')`;
    const heard = await listening();
    await queue.send([message('a')]);
    expect(await over(heard)).toEqual([]);
  });
});
