import { describe, expect, it } from 'vitest';
import {
  isInFlight,
  type QueueDecisions,
  queueDecisions,
} from '#infra/emulator/testing/queue/decisions.ts';
import { timelineFrom } from '#infra/emulator/testing/queue/timeline.ts';
import { queueInMemory } from '#infra/emulator/testing/queue-in-memory.ts';
import { stageOn } from './queue/stage.ts';
import { themes } from './queue.ts';

type Mistake = readonly [string, Partial<QueueDecisions>, string];

/** A decision that is wrong, and the case that must notice. */
const mistakes: readonly Mistake[] = [
  [
    'a wake-up is merged into a message that somebody holds',
    {
      merge: (messages, incoming, nowMs) =>
        queueDecisions.merge(
          messages.map((each) => ({ ...each, hold: undefined })),
          incoming,
          nowMs,
        ),
    },
    'merges nothing into a message that somebody holds',
  ],
  [
    'a message is claimed while a transaction merges into it',
    { claim: (group, nowMs) => queueDecisions.claim({ ...group, isLocked: false }, nowMs) },
    'hands over no message that an open transaction merges into',
  ],
  [
    'the sequence is used as the order of commits',
    { waits: () => false },
    'never hands over the second of a group while the first is not committed',
  ],
  [
    'delete and recreate are merged',
    {
      merge: (messages, incoming, nowMs) =>
        queueDecisions.merge(
          messages.map((each) => ({ ...each, message: { ...each.message, mergeKey: 'same' } })),
          { ...incoming, mergeKey: 'same' },
          nowMs,
        ),
    },
    'never merges a deletion away',
  ],
  [
    'an expired receipt settles',
    { mayEnd: ({ hold }, receipt) => hold?.receipt === receipt },
    'does not settle by a receipt whose visibility ran out',
  ],
  [
    'a receipt is not looked at',
    { mayEnd: (message, _, nowMs) => isInFlight(message, nowMs) },
    'leaves the message to whoever holds it now when an old receipt settles',
  ],
  [
    'a dead letter lets a later message run before an earlier one',
    {
      goOn: (messages, buried) =>
        queueDecisions
          .goOn(messages, buried)
          .map((each, at, all) => ({ ...each, place: all.length - at })),
    },
    'goes on with the next of the group after bury, not with a later one',
  ],
  [
    'a dead letter comes back to the front',
    { returnTo: (messages, end) => (messages[0]?.place ?? end) - 1 },
    'puts a dead letter at the end of its group',
  ],
  [
    'what crashes is handed over for ever',
    {
      claim: (group, nowMs) =>
        queueDecisions.claim(
          { ...group, messages: group.messages.map((each) => ({ ...each, received: 0 })) },
          nowMs,
        ),
    },
    'buries as crashed what was received ten times and never settled',
  ],
];

describe('the contract of the queue', () => {
  it.each(mistakes)('notices that %s', async (_, decisions, title) => {
    await expect(runOn(title, {})).resolves.toBeUndefined();
    await expect(runOn(title, decisions)).rejects.toThrow(/./);
  });
});

async function runOn(title: string, decisions: Partial<QueueDecisions>): Promise<void> {
  const { now, after, advance } = timelineFrom(0);
  const queue = queueInMemory({ now, after, decisions });
  const found = Object.values(themes)
    .flat()
    .find((each) => each.title === title);
  if (found === undefined) throw new Error(`there is no case "${title}"`);

  const begin = async () => queue.open();
  await found.run(stageOn({ queue, functions: ['one', 'two', 'three'], advance, begin }));
}
