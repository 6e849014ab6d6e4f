import { expect, it } from 'vitest';
import { suspectAfter } from '#events/queue.ts';
import { timelineFrom } from '#infra/emulator/testing/queue/timeline.ts';
import { queueInMemory } from '#infra/emulator/testing/queue-in-memory.ts';

const visibilityMs = 1_000;
const receiving = { functions: ['look'], max: 10, visibilityMs, waitMs: 0 };

function message(group: string) {
  return { function: 'look', group, type: 'object.changed.v1', body: group, eventId: group };
}

it('a suspect waits for the hands of the process that asks, and not for those of another', async () => {
  const { now, after, advance } = timelineFrom(0);
  const queue = queueInMemory({ now, after });
  const [one, other] = [queue.as('one'), queue.as('other')];
  const groupsOf = async (process: typeof one) =>
    (await process.receive(receiving)).map(({ group }) => group);

  await queue.send([message('suspect')]);
  for (let count = 0; count < suspectAfter - 1; count += 1) {
    expect(await groupsOf(one)).toEqual(['suspect']);
    advance(visibilityMs);
  }
  // The last receive of it that is shared ends while one has begun something else.
  expect(await groupsOf(one)).toEqual(['suspect']);
  advance(visibilityMs / 2);
  await queue.send([message('neighbour')]);
  expect(await groupsOf(one)).toEqual(['neighbour']);
  advance(visibilityMs / 2);

  expect(await groupsOf(one)).toEqual([]);
  expect(await groupsOf(other)).toEqual(['suspect']);
  await queue.send([message('next')]);
  expect(await groupsOf(other)).toEqual([]);
  expect(await groupsOf(one)).toEqual(['next']);
});
