import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Floors, floorsLastMs, openFloors } from '#events/postgres-queue/floors.ts';
import type { Outgoing } from '#events/queue.ts';
import { openStage, type PostgresStage } from './stage.ts';

let stage: PostgresStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const message = (name: string, group: string): Outgoing => ({
  ...{ function: name, group, type: 't.v1', body: '{}', eventId: group },
});

async function receiveAll(name: string, until: (groups: readonly string[]) => boolean) {
  const groups: string[] = [];
  const receiving = { functions: [name], max: 10, visibilityMs: 30_000, waitMs: 200 };
  for (const deadline = performance.now() + 10_000; !until(groups); ) {
    if (performance.now() > deadline) throw new Error(`only ${groups.length} came`);
    const deliveries = await stage.queue.receive(receiving);
    await stage.queue.settle(deliveries.map(({ receipt }) => receipt));
    groups.push(...deliveries.map(({ group }) => group));
  }
  return groups;
}

describe('a busy receiver', () => {
  it('gets what was sent long before it was committed, within a second or two', async () => {
    const late = await stage.begin();
    await late.send([message('late', 'late')]);
    let sent = 0;
    const busy = setInterval(() => {
      sent += 1;
      void stage.queue.send([message('late', `busy-${sent}`)]);
    }, 20);
    try {
      await receiveAll('late', (groups) => groups.length > 120);
      const began = performance.now();
      await late.commit();
      await receiveAll('late', (groups) => groups.includes('late'));
      expect(performance.now() - began).toBeLessThan(3 * floorsLastMs);
    } finally {
      clearInterval(busy);
    }
  }, 30_000);
});

describe('a floor', () => {
  let nowMs = 0;
  let floors: Floors;
  beforeAll(() => {
    floors = openFloors(stage.sql, { now: () => nowMs });
  });
  const serverSeconds = async (): Promise<number> => {
    const [found] = await stage.sql<{ at: number }[]>`
      select extract(epoch from clock_timestamp())::float8 as at`;
    return found?.at ?? 0;
  };

  it('stands a second below the first that is there, whoever has it, and below now', async () => {
    await stage.queue.send([message('some', 'one')]);
    await after(300);
    const waiting = await floors.untilVisibleMs(['some', 'none']);
    expect(waiting).toBeLessThan(-250);
    const from = floors.of(['some', 'none']);
    const [some = 0, none = 0] = ['some', 'none'].map((name) => from.get(name));
    const now = await serverSeconds();
    expect(now - some).toBeGreaterThan(1.29);
    expect(now - none).toBeGreaterThan(0.99);
    expect(now - none).toBeLessThan(now - some);
  });

  it('is good for a second after a look from the beginning, however often it is raised', async () => {
    nowMs += floorsLastMs - 1;
    await floors.untilVisibleMs(['some']);
    expect([...floors.of(['some', 'stranger']).keys()]).toEqual(['some']);
    nowMs += 1;
    expect(floors.of(['some', 'stranger']).size).toBe(0);
  });
});

describe('a clock that was set back', () => {
  const anHourOn = (name: string) => stage.sql`
    update queue_groups set visible_at = visible_at + interval '1 hour' where function = ${name}`;

  it('hides nothing that nobody holds', async () => {
    await stage.queue.send([message('hidden', 'one')]);
    await anHourOn('hidden');
    await receiveAll('hidden', (groups) => groups.includes('one'));
  }, 30_000);

  it('takes from nobody what he holds', async () => {
    await stage.queue.send([message('held', 'one')]);
    const receiving = { functions: ['held'], max: 10, visibilityMs: 30_000 };
    const [held] = await stage.queue.receive({ ...receiving, waitMs: 0 });
    await anHourOn('held');
    expect(await openFloors(stage.sql).untilVisibleMs(['held'])).toBeGreaterThan(3_000_000);
    expect(held?.group).toBe('one');
  });

  it('gives nobody back what absorbed another message once he had lost it', async () => {
    const merged = { ...message('lost', 'one'), mergeKey: 'u1/false' };
    await stage.queue.send([merged]);
    const receiving = { functions: ['lost'], max: 10, visibilityMs: 30_000, waitMs: 0 };
    const [lost] = await stage.queue.receive(receiving);
    await stage.advance(['lost'], 30_000);
    await stage.queue.send([{ ...merged, eventId: 'later' }]);
    await stage.advance(['lost'], -30_000);
    expect(await stage.queue.settle([lost?.receipt ?? ''])).toEqual([false]);
    await stage.advance(['lost'], 30_000);
    expect(await stage.queue.receive(receiving)).toMatchObject([{ eventId: 'later' }]);
  });

  it('is asked about every five seconds', async () => {
    let nowMs = 0;
    const floors = openFloors(stage.sql, { now: () => nowMs });
    await floors.untilVisibleMs(['rarely']);
    await stage.queue.send([message('rarely', 'one')]);
    await anHourOn('rarely');
    nowMs = 4_999;
    expect(await floors.untilVisibleMs(['rarely'])).toBeGreaterThan(3_000_000);
    nowMs = 5_000;
    expect(await floors.untilVisibleMs(['rarely'])).toBeLessThanOrEqual(0);
  });
});
