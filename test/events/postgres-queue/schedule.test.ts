import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fleetOf, prefixOf } from '#events/fleet.ts';
import { outboxOn } from '#events/postgres-queue/outbox.ts';
import { scheduleOn } from '#events/postgres-queue/schedule.ts';
import { senderOn } from '#events/postgres-queue/send.ts';
import type { Outgoing } from '#events/queue.ts';
import type { Schedule } from '#events/schedule.ts';
import { openStage, type PostgresStage } from './stage.ts';

let stage: PostgresStage;
let schedule: Schedule;
beforeAll(async () => {
  stage = await openStage();
  schedule = scheduleOn({ sql: stage.sql, sender: senderOn });
});
beforeEach(() => stage.sql`truncate wakeups, outbox, queue_groups, queue_messages, queue_dead`);
afterAll(() => stage.close());

function message(body: string, more: Partial<Outgoing> = {}): Outgoing {
  return { function: 'f', group: 'g', type: 't.v1', body, eventId: `event of ${body}`, ...more };
}

const later = (body: string, afterMs: number, more: Partial<Outgoing> = {}) =>
  ({ message: message(body, more), reason: 'later', afterMs }) as const;
const again = (body: string, afterMs: number, more: Partial<Outgoing> = {}) =>
  ({ message: message(body, more), reason: 'retry', afterMs }) as const;
const period = (name: string, everySeconds = 60) => ({
  message: message(name, { function: name, group: `${name}/period` }),
  everySeconds,
});

async function pass(ms: number): Promise<void> {
  await stage.sql`update wakeups set due_at = due_at - ${ms} * interval '1 millisecond'`;
}

async function queued(functions = ['f']) {
  const deliveries = await stage.queue.receive({
    ...{ functions, max: 100, visibilityMs: 30_000, waitMs: 0 },
  });
  return deliveries.map(({ body, attempt }) => [body, attempt]);
}

describe('wake-ups', () => {
  it('come when they are due, and say when the next one is', async () => {
    await schedule.add([later('a', 1_000), again('b', 60_000, { group: 'h', attempt: 3 })]);
    const early = await schedule.moveDue(10);
    expect(early.count).toBe(0);
    expect(early.nextMs).toBeGreaterThan(500);
    expect(early.nextMs).toBeLessThanOrEqual(1_000);
    await pass(1_000);
    expect((await schedule.moveDue(10)).count).toBe(1);
    expect(await queued()).toEqual([['a', 0]]);
    await pass(60_000);
    expect(await schedule.moveDue(10)).toEqual({ count: 1, nextMs: undefined });
    expect(await queued()).toEqual([['b', 3]]);
  });

  it.each([
    [
      'one after the other',
      async (add: readonly Parameters<Schedule['add']>[0][]) => {
        for (const each of add) await schedule.add(each);
      },
    ],
    [
      'in one call',
      async (add: readonly Parameters<Schedule['add']>[0][]) => {
        await schedule.add(add.flat());
      },
    ],
  ])(
    'take the earlier time and the greater attempt of two that are added %s',
    async (_, addAll) => {
      await addAll([[again('a', 1_000, { attempt: 5 })], [again('a', 60_000, { attempt: 2 })]]);
      await pass(1_000);
      expect((await schedule.moveDue(10)).nextMs).toBeUndefined();
      expect(await queued()).toEqual([['a', 5]]);
    },
  );

  it('keep the retry of what was deleted beside that of its successor', async () => {
    await schedule.add([again('deleted', 0, { mergeKey: 'u1/true' })]);
    await schedule.add([again('made anew', 0, { mergeKey: 'u2/false' })]);
    expect((await schedule.moveDue(10)).count).toBe(2);
  });

  it('are moved once by whoever moves at the same time', async () => {
    const all = Array.from({ length: 60 }, (_, at) => later(`m${at}`, 0, { group: `g${at}` }));
    await schedule.add(all);
    const moved = await Promise.all(Array.from({ length: 6 }, () => schedule.moveDue(25)));
    const rest = await schedule.moveDue(100);
    expect(moved.reduce((sum, { count }) => sum + count, rest.count)).toBe(60);
    expect(await queued()).toHaveLength(60);
  });

  it('merge into what waits for the same', async () => {
    await stage.queue.send([message('a', { mergeKey: 'u', attempt: 0 })]);
    await schedule.add([again('a', 0, { mergeKey: 'u', attempt: 4 })]);
    await schedule.moveDue(10);
    expect(await queued()).toEqual([['a', 0]]);
  });

  it('stay where they are if the queue does not take them', async () => {
    await schedule.add([later('a', 0)]);
    const broken = scheduleOn({
      sql: stage.sql,
      sender: () => ({ send: () => Promise.reject(new Error('full')) }),
    });
    await expect(broken.moveDue(10)).rejects.toThrow('full');
    expect((await schedule.moveDue(10)).count).toBe(1);
  });

  it('name the object whose tombstone they need', async () => {
    await schedule.add([later('a', 1_000, { subject: 'u1' })]);
    expect(await stage.sql`select subject from wakeups`).toEqual([{ subject: 'u1' }]);
  });

  it('are refused where the queue could not hold them', async () => {
    await expect(schedule.add([later('\0', 0)])).rejects.toThrow('NUL');
  });

  it('are buried where somebody wrote by hand what no queue takes, and hold nobody up', async () => {
    await schedule.add([later('a', 0)]);
    await schedule.setPeriods([period('p')]);
    await stage.sql`
      insert into wakeups
      select function, key, reason, merge_key, now() - interval '1 minute', every_seconds,
        repeat('t', 1001), body, event_id, subject, attempt
      from (select 'by hand' as function, key, reason, merge_key, every_seconds, body, event_id,
        subject, attempt from wakeups) as odd`;
    for (const _ of [1, 2]) await schedule.moveDue(10);
    expect(await queued(['f', 'p'])).toHaveLength(2);
    expect(await stage.sql`select function, body, why from queue_dead order by body`).toEqual(
      ['a', 'p'].map((body) => ({
        function: 'by hand',
        body,
        why: 'it cannot be sent: type is too long',
      })),
    );
    expect(await stage.sql`select function from wakeups`).toEqual([{ function: 'p' }]);
  });

  it('go to the outbox where the queue is another one', async () => {
    await schedule.add([later('a', 0)]);
    await scheduleOn({ sql: stage.sql, sender: outboxOn }).moveDue(10);
    expect(await stage.sql`select body from outbox`).toEqual([{ body: 'a' }]);
  });
});

describe('periods', () => {
  it('are buried where a row has no seconds, and hold nobody up', async () => {
    await schedule.setPeriods(['p', 'q', 'r', 's'].map((name) => period(name)));
    await stage.sql`update wakeups set every_seconds = 0 where function = 'p'`;
    await stage.sql`update wakeups set every_seconds = -5 where function = 'q'`;
    await stage.sql`update wakeups set every_seconds = null where function = 'r'`;
    for (const _ of [1, 2]) await schedule.moveDue(10);
    expect(await queued(['p', 'q', 'r', 's'])).toEqual([['s', 0]]);
    expect(await stage.sql`select function, why from queue_dead order by function`).toEqual(
      ['p', 'q', 'r'].map((name) => ({
        function: name,
        why: 'it cannot be sent: its period has no seconds',
      })),
    );
    expect(await stage.sql`select function from wakeups`).toEqual([{ function: 's' }]);
  });

  it('are due at once, and again when they are over', async () => {
    await schedule.setPeriods([period('p')]);
    expect(await schedule.moveDue(10)).toMatchObject({ count: 1 });
    expect(await schedule.moveDue(10)).toMatchObject({ count: 0 });
    await pass(60_000);
    expect(await schedule.moveDue(10)).toMatchObject({ count: 1 });
  });

  it('do not pile up while nobody works', async () => {
    await schedule.setPeriods([period('p')]);
    for (const _ of [1, 2, 3]) {
      await schedule.moveDue(10);
      await pass(60_000);
    }
    expect(await queued(['p'])).toEqual([['p', 0]]);
  });

  it('keep their time when they are stated again', async () => {
    await schedule.setPeriods([period('p')]);
    await schedule.moveDue(10);
    await schedule.setPeriods([period('p'), period('q')]);
    await schedule.moveDue(10);
    expect(await queued(['p', 'q'])).toHaveLength(2);
    await schedule.setPeriods([period('p', 1), period('q')]);
    expect((await schedule.moveDue(10)).nextMs).toBeLessThanOrEqual(1_000);
  });

  const waitsOf = async () => {
    const rows = await stage.sql<{ reason: string; key: string; seconds: number }[]>`
      select reason, key, round(extract(epoch from due_at - now()))::float8 as seconds
      from wakeups order by reason, key`;
    return rows.map(({ reason, key, seconds }) => [reason, key, seconds]);
  };

  it('bring back by being stated whatever a clock that was set back would let wait, for as long as was asked for', async () => {
    const stated = [period('p')];
    await schedule.setPeriods(stated);
    await schedule.moveDue(10);
    const of = (group: string) => ({ group });
    await schedule.add([again('a', 90_000, of('a')), later('b', 86_400_000, of('b'))]);
    await schedule.add([later('c', 600_000, of('c')), later('d', 60_000, of('d'))]);
    await schedule.add([later('c', 60_000, of('c')), later('d', 600_000, of('d'))]);
    await schedule.add([later('e', 600_000, of('e')), later('e', 60_000, of('e'))]);
    const asAsked = [
      ...[60, 60, 60].map((seconds, at) => ['later', 'cde'[at], seconds]),
      ['period', 'p/period', 60],
      ['retry', 'a', 90],
    ];
    const inOrder = [['later', 'b', 86_400], ...asAsked];
    expect(await waitsOf()).toEqual(inOrder);
    await pass(30_000);
    const passed = inOrder.map(([reason, key, seconds]) => [reason, key, Number(seconds) - 30]);
    await schedule.setPeriods(stated);
    expect(await waitsOf()).toEqual(passed);
    await pass(-3_600_000);
    await schedule.setPeriods(stated);
    expect(await waitsOf()).toEqual(inOrder);
  });

  it('let wait what a build before wrote, of which nobody knows how long it was to', async () => {
    await schedule.add([later('a', 60_000)]);
    await stage.sql`update wakeups set every_seconds = null`;
    await pass(-3_600_000);
    await schedule.setPeriods([]);
    expect(await waitsOf()).toEqual([['later', 'g', 3_660]]);
    await schedule.add([later('b', 60_000)]);
    expect(await waitsOf()).toEqual([['later', 'g', 60]]);
  });

  it('end when they are not stated any more', async () => {
    await schedule.setPeriods([period('p'), period('q')]);
    await schedule.setPeriods([period('q')]);
    expect((await schedule.moveDue(10)).count).toBe(1);
    await schedule.setPeriods([]);
    expect(await schedule.moveDue(10)).toEqual({ count: 0, nextMs: undefined });
  });

  it('of a cluster are not ended by one whose name theirs begins with', async () => {
    const named = (cluster: string) =>
      fleetOf(cluster).schedule(
        scheduleOn({ sql: stage.sql, sender: senderOn, prefix: prefixOf(cluster) }),
      );
    await named('prod/eu').setPeriods([period('p')]);
    await named('prod').setPeriods([period('p')]);
    await named('prod').setPeriods([]);
    expect(await stage.sql`select function from wakeups`).toEqual([{ function: 'prod/eu/p' }]);
  });

  it('go on beside a later of the same group, and a later beside them', async () => {
    const { message: ticking, everySeconds } = period('p');
    await schedule.setPeriods([{ message: ticking, everySeconds }]);
    await schedule.moveDue(10);
    await schedule.add([{ message: ticking, reason: 'later', afterMs: 5_000 }]);
    await schedule.setPeriods([{ message: ticking, everySeconds }]);
    await pass(5_000);
    expect((await schedule.moveDue(10)).count).toBe(1);
    await pass(55_000);
    expect((await schedule.moveDue(10)).count).toBe(1);
  });
});
