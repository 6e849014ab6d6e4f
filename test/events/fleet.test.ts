import { describe, expect, it } from 'vitest';
import { fleetOf } from '#events/fleet.ts';
import { periodMessage } from '#events/messages.ts';
import { timelineFrom } from '#infra/emulator/testing/queue/timeline.ts';
import { queueInMemory } from '#infra/emulator/testing/queue-in-memory.ts';
import { scheduleInMemory } from '#infra/emulator/testing/schedule-in-memory.ts';

const receiving = { functions: ['look'], max: 10, visibilityMs: 1_000, waitMs: 0 };

/** Two clusters on one queue. */
function fleet() {
  const shared = queueInMemory(timelineFrom(0));
  return { a: fleetOf('a').queue(shared), b: fleetOf('b').queue(shared) };
}

describe('a fleet on one queue', () => {
  it('hands each cluster its own messages, under the functions’ own names', async () => {
    const { a, b } = fleet();
    await a.send([periodMessage('look')]);

    expect(await b.receive(receiving)).toEqual([]);
    expect(await a.receive(receiving)).toMatchObject([{ function: 'look' }]);
  });

  it('keeps one cluster’s group from holding up the other’s', async () => {
    const { a, b } = fleet();
    await a.send([periodMessage('look')]);
    await b.send([periodMessage('look')]);
    await a.receive(receiving);

    expect(await b.receive(receiving)).toHaveLength(1);
  });

  it('counts, shows and purges only what is its own', async () => {
    const { a, b } = fleet();
    await a.send([periodMessage('look')]);
    const [delivery] = await a.receive(receiving);
    await a.bury(delivery?.receipt ?? '', 'for the test');
    await b.send([periodMessage('look')]);

    expect(await b.listDead({ max: 10 })).toEqual([]);
    expect(await a.listDead({ max: 10 })).toMatchObject([{ function: 'look' }]);
    expect(await a.depth()).toMatchObject([{ function: 'look', waiting: 0, dead: 1 }]);
    expect(await a.purge('look')).toBe(0);
    expect(await b.peek('look', 10)).toHaveLength(1);
  });

  it('counts and shows only what is scheduled for its own', async () => {
    const timeline = timelineFrom(0);
    const shared = scheduleInMemory({ ...timeline, queue: queueInMemory(timeline) });
    const [a, b] = [fleetOf('a').schedule(shared), fleetOf('b').schedule(shared)];
    await a.add([{ message: periodMessage('look'), reason: 'retry', afterMs: 5_000 }]);

    expect(await a.depth()).toEqual([{ function: 'look', scheduled: 1, nextMs: 5_000 }]);
    expect(await a.peek('look', 5)).toMatchObject([{ function: 'look', reason: 'retry' }]);
    expect([await b.depth(), await b.peek('look', 5)]).toEqual([[], []]);
  });

  it('takes nothing for its own where another one’s name begins with its own', async () => {
    const shared = queueInMemory(timelineFrom(0));
    await fleetOf('a/b')
      .queue(shared)
      .send([periodMessage('look')]);

    expect(await fleetOf('a').queue(shared).depth()).toEqual([]);
  });
});
