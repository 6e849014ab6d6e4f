import { describe, expect, it } from 'vitest';
import { type SqsRecord, sqsBatch } from '#shared/runtime/invoke/sqs-batch.ts';
import { doorWith, eventOf } from '#test/support/invoking.ts';

function record(id: string, group?: string, body = eventOf(id)): SqsRecord {
  return {
    messageId: id,
    body,
    attributes: group === undefined ? {} : { MessageGroupId: group },
  };
}

function failed(...ids: readonly string[]) {
  return ids.map((itemIdentifier) => ({ itemIdentifier }));
}

const giveUp = { kind: 'give-up', why: 'never' } as const;

describe('sqsBatch', () => {
  it('settles what was done', async () => {
    const answer = await sqsBatch(doorWith())({ Records: [record('a', 'g'), record('b', 'h')] });
    expect(answer.batchItemFailures).toEqual([]);
    expect(answer.outcomes).toEqual([
      { itemIdentifier: 'a', outcome: { kind: 'done' } },
      { itemIdentifier: 'b', outcome: { kind: 'done' } },
    ]);
  });

  it.each([
    ['later', { kind: 'later', afterSeconds: 5 }],
    ['retry', { kind: 'retry', why: 'away' }],
  ] as const)(
    'leaves %s to the queue where there is no schedule, and holds up its group',
    async (_, outcome) => {
      const door = doorWith({ a: outcome });
      const answer = await sqsBatch(door)({ Records: [record('a', 'g'), record('b', 'g')] });
      expect(answer.batchItemFailures).toEqual(failed('a', 'b'));
      expect(answer.outcomes).toEqual([{ itemIdentifier: 'a', outcome }]);
      expect(door.seen.map(({ id }) => id)).toEqual(['a']);
    },
  );

  it('after a failure runs no later message of that group, and returns them as failed', async () => {
    const door = doorWith({ b: giveUp });
    const Records = [
      record('a', 'g'),
      record('b', 'g'),
      record('x', 'h'),
      record('c', 'g'),
      record('y', 'h'),
    ];
    const answer = await sqsBatch(door)({ Records });
    expect(answer.batchItemFailures).toEqual(failed('b', 'c'));
    expect(door.seen.map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'x', 'y']);
  });

  it('takes each message of a queue without groups for itself', async () => {
    const door = doorWith({ a: giveUp });
    const answer = await sqsBatch(door)({ Records: [record('a'), record('b')] });
    expect(answer.batchItemFailures).toEqual(failed('a'));
    expect(door.seen).toHaveLength(2);
  });

  it.each([
    ['no JSON', '{'],
    ['no event', '{}'],
  ])('leaves a body that is %s to the queue, which buries it', async (_, body) => {
    const door = doorWith();
    const answer = await sqsBatch(door)({ Records: [record('a', 'g', body)] });
    expect(answer.batchItemFailures).toEqual(failed('a'));
    expect(door.seen).toEqual([]);
    expect(door.log.lines).toMatchObject([{ level: 'error' }]);
  });

  it('gives each run what is left of the invocation, less a reserve', async () => {
    const door = doorWith();
    const context = { getRemainingTimeInMillis: () => 3_000 };
    await sqsBatch(door)({ Records: [record('a', 'g')] }, context);
    expect(door.deadlines).toEqual([2_500]);
  });

  it('starts nothing that it has no time for', async () => {
    const door = doorWith();
    const context = { getRemainingTimeInMillis: () => 400 };
    const answer = await sqsBatch(door)({ Records: [record('a', 'g')] }, context);
    expect(answer).toEqual({ batchItemFailures: failed('a'), outcomes: [] });
    expect(door.seen).toEqual([]);
  });
});
