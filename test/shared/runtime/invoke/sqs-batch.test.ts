import { describe, expect, it } from 'vitest';
import { done } from '#shared/domain/outcome.ts';
import type { Invoke } from '#shared/runtime/invoke/event-app.ts';
import { sqsBatch } from '#shared/runtime/invoke/sqs-batch.ts';
import type { SqsRecord } from '#shared/runtime/invoke/sqs-record.ts';
import { doorWith, eventOf, meansWith } from '#test/support/invoking.ts';
import { away, counted, failed, giveUp, ours, record, retry } from './sqs-records.ts';

describe('sqsBatch', () => {
  it('settles what was done', async () => {
    const Records = [record('a', 'g'), record('b', 'h')];
    const answer = await sqsBatch(doorWith(), meansWith())({ Records });
    expect(answer.batchItemFailures).toEqual([]);
    expect(answer.outcomes).toEqual([
      { itemIdentifier: 'a', outcome: { kind: 'done' } },
      { itemIdentifier: 'b', outcome: { kind: 'done' } },
    ]);
  });

  it.each([
    ['later', { kind: 'later', afterSeconds: 5 }],
    ['retry', retry],
  ] as const)(
    'leaves %s to the queue where there is no schedule, and holds up its group',
    async (_, outcome) => {
      const door = doorWith({ a: outcome });
      const Records = [record('a', 'g'), record('b', 'g')];
      const answer = await sqsBatch(door, meansWith())({ Records });
      expect(answer.batchItemFailures).toEqual(failed('a', 'b'));
      expect(answer.outcomes).toEqual([{ itemIdentifier: 'a', outcome }]);
      expect(door.seen.map(({ id }) => id)).toEqual(['a']);
    },
  );

  it('after a failure runs no later message of that group, and returns them as failed', async () => {
    const door = doorWith({ b: retry });
    const Records = [
      record('a', 'g'),
      record('b', 'g'),
      record('x', 'h'),
      record('c', 'g'),
      record('y', 'h'),
    ];
    const answer = await sqsBatch(door, meansWith())({ Records });
    expect(answer.batchItemFailures).toEqual(failed('b', 'c'));
    expect(door.seen.map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'x', 'y']);
  });

  it('takes each message of a queue without groups for itself', async () => {
    const door = doorWith({ a: retry });
    const answer = await sqsBatch(door, meansWith())({ Records: [record('a'), record('b')] });
    expect(answer.batchItemFailures).toEqual(failed('a'));
    expect(door.seen).toHaveLength(2);
  });

  it('buries a give-up with its reason, and goes on with its group', async () => {
    const door = doorWith({ a: giveUp });
    const means = meansWith();
    const Records = [record('a', 'g'), record('b', 'g')];
    const answer = await sqsBatch(door, means)({ Records });
    expect(answer.batchItemFailures).toEqual([]);
    expect(means.buried).toEqual([['a', 'never']]);
    expect(door.seen.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(door.log.lines).toMatchObject([{ level: 'error', fields: { why: 'never' } }]);
  });

  it('says how often a message was tried only where its next time is counted', async () => {
    const attempts: unknown[] = [];
    const note: Invoke = async ({ attempt }) => {
      attempts.push(attempt);
      return done;
    };
    const door = { ...doorWith(), invoke: note };
    const upkeep = {
      ...{ bodyOf: async () => undefined, forget: async () => {} },
      schedule: async () => ({ kind: 'settle' }) as const,
      expand: async () => undefined,
    };
    for (const openUpkeep of [undefined, async () => upkeep]) {
      await sqsBatch(door, meansWith({}, openUpkeep))({ Records: [record('a', 'g', ours())] });
    }
    expect(attempts).toEqual([undefined, 0]);
  });

  it('settles a period that is given up, since it comes again', async () => {
    const door = doorWith({ a: giveUp });
    const means = meansWith();
    const Records = [record('a', 'g', eventOf('a'))];
    const answer = await sqsBatch(door, means)({ Records });
    expect(answer.batchItemFailures).toEqual([]);
    expect(means.buried).toEqual([]);
  });

  it('tells of a member of a set that cannot be woken, and again only after a while', async () => {
    const door = doorWith();
    const unsent = { function: 'follow-maps', object: 'team-a/odd', why: 'its name is too long' };
    const upkeep = {
      ...{ bodyOf: async () => undefined, forget: async () => {} },
      schedule: async () => ({ kind: 'settle' }) as const,
      async expand(_: unknown, tell: (each: typeof unsent) => void) {
        tell(unsent);
        return done;
      },
    };
    const run = sqsBatch(
      door,
      meansWith({}, async () => upkeep),
    );
    for (const id of ['a', 'b']) {
      const answer = await run({ Records: [record(id, 'g', ours('set'))] });
      expect(answer.outcomes).toMatchObject([{ itemIdentifier: id, outcome: done }]);
    }
    expect(door.log.lines).toMatchObject([{ level: 'error', fields: unsent }]);
  });

  it.each([
    ['no JSON', '{', 'the body is not JSON'],
    ['no event', '{}', 'not a CloudEvent: $.specversion: expected "1.0"'],
  ])('buries a body that is %s', async (_, body, why) => {
    const door = doorWith();
    const means = meansWith();
    const answer = await sqsBatch(door, means)({ Records: [record('a', 'g', body)] });
    expect(answer.batchItemFailures).toEqual([]);
    expect(means.buried).toEqual([['a', why]]);
    expect(door.seen).toEqual([]);
  });

  it.each([
    ['SQS takes no dead letter', { bury: away }],
    ['the queue has no dead letters that we know', { bury: async () => false }],
  ])('leaves a give-up to the queue where %s, and holds up its group', async (_, origin) => {
    const door = doorWith({ a: giveUp });
    const Records = [record('a', 'g'), record('b', 'g')];
    const answer = await sqsBatch(door, meansWith(origin))({ Records });
    expect(answer.batchItemFailures).toEqual(failed('a', 'b'));
    expect(door.seen.map(({ id }) => id)).toEqual(['a']);
  });

  it('leaves what names a body in the database to the queue, where no database is named', async () => {
    const door = doorWith();
    const means = meansWith();
    const Records = [record('a', 'g', ours('kept')), record('b', 'g')];
    const answer = await sqsBatch(door, means)({ Records });
    expect(answer).toEqual({ batchItemFailures: failed('a', 'b'), outcomes: [] });
    expect([means.buried, door.seen]).toEqual([[], []]);
  });

  it('runs what may kill when all the others are settled, and one after another', async () => {
    const steps: string[] = [];
    const door = doorWith();
    const invoke: Invoke = async (message, limits) => {
      steps.push(`${message.id} begins`);
      await new Promise(setImmediate);
      steps.push(`${message.id} ends`);
      return door.invoke(message, limits);
    };
    const settle = async ({ messageId }: SqsRecord) => {
      steps.push(`${messageId} is settled`);
      return true;
    };
    const Records = ['a', 'b'].map((id) => counted(id, 4));
    const handle = sqsBatch({ ...door, invoke }, meansWith({ settle }));
    const answer = await handle({ Records: [...Records, record('c', 'c')] });
    expect(answer.batchItemFailures).toEqual([]);
    const aFirst = ['a begins', 'a ends', 'a is settled', 'b begins', 'b ends'];
    expect(steps).toEqual(['c begins', 'c ends', 'c is settled', ...aFirst]);
  });

  it('runs it all the same where SQS does not settle the others', async () => {
    const door = doorWith();
    const Records = [counted('a', 4), record('c', 'c')];
    const answer = await sqsBatch(door, meansWith({ settle: away }))({ Records });
    expect(answer.batchItemFailures).toEqual([]);
    expect(door.seen.map(({ id }) => id)).toEqual(['c', 'a']);
  });

  it('gives each run what is left of the invocation, less a reserve', async () => {
    const door = doorWith();
    const context = { getRemainingTimeInMillis: () => 3_000 };
    await sqsBatch(door, meansWith())({ Records: [record('a', 'g')] }, context);
    expect(door.deadlines).toEqual([2_500]);
  });

  it('starts nothing that it has no time for', async () => {
    const door = doorWith();
    const context = { getRemainingTimeInMillis: () => 400 };
    const answer = await sqsBatch(door, meansWith())({ Records: [record('a', 'g')] }, context);
    expect(answer).toEqual({ batchItemFailures: failed('a'), outcomes: [] });
    expect(door.seen).toEqual([]);
  });
});
