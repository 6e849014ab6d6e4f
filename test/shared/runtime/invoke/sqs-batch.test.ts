import { afterEach, describe, expect, it, vi } from 'vitest';
import { messageFor } from '#events/messages.ts';
import { envelopeFor, written } from '#events/sqs-queue/envelope.ts';
import type { Invoke } from '#shared/runtime/invoke/event-app.ts';
import { sqsBatch } from '#shared/runtime/invoke/sqs-batch.ts';
import type { SqsRecord } from '#shared/runtime/invoke/sqs-record.ts';
import { doorWith, eventOf, meansWith } from '#test/support/invoking.ts';
import { mapChanged } from '#test/support/running.ts';

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

const retry = { kind: 'retry', why: 'away' } as const;
const away = async () => {
  throw new Error('SQS is away');
};

function counted(id: string, received: number, group = id): SqsRecord {
  const attributes = { MessageGroupId: group, ApproximateReceiveCount: `${received}` };
  return { ...record(id), attributes };
}

async function slowly<T>(answer: T): Promise<T> {
  await new Promise((resolve) => setTimeout(resolve, 100));
  return answer;
}

afterEach(() => {
  vi.useRealTimers();
});

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

  it('waits for SQS no longer than the invocation may last', async () => {
    const door = doorWith({ a: giveUp });
    const means = meansWith({ bury: () => new Promise(() => {}) });
    const context = { getRemainingTimeInMillis: () => 510 };
    const answer = await sqsBatch(door, means)({ Records: [record('a', 'g')] }, context);
    expect(answer.batchItemFailures).toEqual(failed('a'));
  });

  it('leaves what names a body in the database to the queue, where no database is named', async () => {
    const message = messageFor('follow-maps', mapChanged(), 'uid-1/7/MODIFIED');
    const enveloped = envelopeFor(message, { id: 'row-1', sentAtMs: 0 });
    const body = written({ ...enveloped, body: { kind: 'kept' } }).text;
    const door = doorWith();
    const means = meansWith();
    const Records = [record('a', 'g', body), record('b', 'g')];
    const answer = await sqsBatch(door, means)({ Records });
    expect(answer).toEqual({ batchItemFailures: failed('a', 'b'), outcomes: [] });
    expect([means.buried, door.seen]).toEqual([[], []]);
  });

  it.each([
    ['retry', 7, retry, []],
    ['retry', 8, retry, ['a', 'b']],
    ['later', 10, { kind: 'later', afterSeconds: 5 } as const, ['a', 'b']],
    ['give-up that SQS does not take', 10, giveUp, []],
  ])(
    'begins anew what would be buried as crashed, though it only waits: %s, received %i',
    async (_, received, ran, expected) => {
      const renewed: string[] = [];
      const means = meansWith({
        bury: away,
        async renew({ messageId }) {
          renewed.push(messageId);
          return true;
        },
      });
      const Records = [counted('a', received, 'g'), record('b', 'g')];
      const door = doorWith({ a: ran });
      const answer = await sqsBatch(door, means)({ Records });
      expect(renewed).toEqual(expected);
      // Those behind it go there with it, or wait for it.
      expect(door.seen.map(({ id }) => id)).toEqual(['a']);
      expect(answer.batchItemFailures).toEqual(expected.length > 0 ? [] : failed('a', 'b'));
    },
  );

  it('puts all that was behind what begins anew behind it again, in their order', async () => {
    const renewed: string[] = [];
    const means = meansWith({
      async renew({ messageId }) {
        renewed.push(messageId);
        return true;
      },
    });
    const door = doorWith({ a: retry });
    const Records = [
      ...[counted('a', 2, 'g'), counted('b', 1, 'g'), counted('c', 8, 'g')],
      ...[counted('d', 1, 'g'), counted('e', 3, 'g')],
    ];
    const answer = await sqsBatch(door, means)({ Records });
    expect(renewed).toEqual(['c', 'd', 'e']);
    expect(answer.batchItemFailures).toEqual(failed('a', 'b'));
    expect(door.seen.map(({ id }) => id)).toEqual(['a']);
  });

  it('answers in time where SQS takes none of many that there is no time for', async () => {
    vi.useFakeTimers();
    const end = Date.now() + 500;
    const context = { getRemainingTimeInMillis: () => end - Date.now() };
    const means = meansWith({ renew: () => new Promise(() => {}) });
    const Records = ['a', 'b', 'c', 'd', 'e'].flatMap((group) =>
      ['1', '2', '3'].map((place) => counted(`${group}${place}`, 9, group)),
    );
    let answered = Number.NaN;
    const answering = sqsBatch(doorWith(), means)({ Records }, context).then((answer) => {
      answered = context.getRemainingTimeInMillis();
      return answer;
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(answered).toBeGreaterThanOrEqual(150);
    expect((await answering).batchItemFailures).toHaveLength(Records.length);
  });

  it('has a last word on each of them, though SQS does not take the first', async () => {
    vi.useFakeTimers();
    const end = Date.now() + 500;
    const context = { getRemainingTimeInMillis: () => end - Date.now() };
    const means = meansWith({
      renew: ({ messageId }) => (messageId === 'a' ? new Promise(() => {}) : slowly(true)),
    });
    const Records = ['a', 'b', 'c'].map((id) => counted(id, 8));
    const answering = sqsBatch(doorWith(), means)({ Records }, context);
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await answering).batchItemFailures).toEqual(failed('a'));
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

  it('begins anew what was not run for want of time, before SQS buries it', async () => {
    const renewed: string[] = [];
    const renew = async ({ messageId }: SqsRecord) => {
      renewed.push(messageId);
      return true;
    };
    const Records = ['7', '8'].map((count) => counted(count, Number(count)));
    const door = doorWith();
    const context = { getRemainingTimeInMillis: () => 400 };
    const answer = await sqsBatch(door, meansWith({ renew }))({ Records }, context);
    expect([answer.batchItemFailures, renewed]).toEqual([failed('7'), ['8']]);
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
