import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Origin } from '#shared/runtime/invoke/origin.ts';
import { sqsBatch } from '#shared/runtime/invoke/sqs-batch.ts';
import type { OpenUpkeep, Upkeep } from '#shared/runtime/invoke/upkeep.ts';
import { doorWith, meansWith } from '#test/support/invoking.ts';
import { mapChanged } from '#test/support/running.ts';
import { away, counted, failed, giveUp, ours, record, retry } from './sqs-records.ts';

const slowly = <T>(answer: T): Promise<T> => after(100, answer);

async function after<T>(ms: number, answer: T): Promise<T> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return answer;
}

const forEver = () => new Promise<never>(() => {});

const settled = { kind: 'settle' } as const;

function upkeepWith(upkeep: Partial<Upkeep>): OpenUpkeep {
  const usual: Upkeep = {
    bodyOf: async () => undefined,
    forget: async () => {},
    schedule: async () => settled,
    expand: async () => undefined,
  };
  return async () => ({ ...usual, ...upkeep });
}

function takenAnew(note: (id: string) => void): Origin['renew'] {
  return async (records) =>
    records.map(({ messageId }) => {
      note(messageId);
      return { kind: 'renewed' };
    });
}

/** What is left of an invocation that may last so long, by a clock that is put forward. */
function invocationOf(ms: number) {
  vi.useFakeTimers();
  const end = Date.now() + ms;
  return { getRemainingTimeInMillis: () => end - Date.now() };
}

/** How it was answered within a minute, and with how much time to spare. */
async function answered<T>(answering: Promise<T>, context: ReturnType<typeof invocationOf>) {
  const told: { answer?: T; sparedMs: number } = { sparedMs: Number.NEGATIVE_INFINITY };
  void answering.then((answer) => {
    Object.assign(told, { answer, sparedMs: context.getRemainingTimeInMillis() });
  });
  await vi.advanceTimersByTimeAsync(60_000);
  return told;
}

afterEach(() => {
  vi.useRealTimers();
});

describe('sqsBatch, where somebody does not answer or time runs out', () => {
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
        renew: takenAnew((id) => renewed.push(id)),
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

  it('leaves to a queue that is not ours what it would begin anew', async () => {
    const door = doorWith({ a: retry });
    const Records = [counted('a', 8, 'g'), record('b', 'g')];
    const answer = await sqsBatch(door, meansWith())({ Records });
    expect(answer.batchItemFailures).toEqual(failed('a', 'b'));
  });

  it('puts all that was behind what begins anew behind it again, in their order, by one call', async () => {
    const calls: (readonly string[])[] = [];
    const means = meansWith({
      async renew(records) {
        calls.push(records.map(({ messageId }) => messageId));
        return records.map(() => ({ kind: 'renewed' }));
      },
    });
    const door = doorWith({ a: retry });
    const Records = [
      ...[counted('a', 2, 'g'), counted('b', 1, 'g'), counted('c', 8, 'g')],
      ...[counted('d', 1, 'g'), counted('e', 3, 'g')],
    ];
    const answer = await sqsBatch(door, means)({ Records });
    expect(calls).toEqual([['c', 'd', 'e']]);
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
      renew: ([first]) =>
        first?.messageId === 'a' ? new Promise(() => {}) : slowly([{ kind: 'renewed' }]),
    });
    const Records = ['a', 'b', 'c'].map((id) => counted(id, 8));
    const answering = sqsBatch(doorWith(), means)({ Records }, context);
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await answering).batchItemFailures).toEqual(failed('a'));
  });

  it('begins anew what was not run for want of time, before SQS buries it', async () => {
    const renewed: string[] = [];
    const renew = takenAnew((id) => renewed.push(id));
    const Records = ['7', '8'].map((count) => counted(count, Number(count)));
    const door = doorWith();
    const context = { getRemainingTimeInMillis: () => 400 };
    const answer = await sqsBatch(door, meansWith({ renew }))({ Records }, context);
    expect([answer.batchItemFailures, renewed]).toEqual([failed('7'), ['8']]);
  });

  it('leaves all on the queue where SQS does not take one again, and tells why', async () => {
    const door = doorWith({ a: retry });
    const renew: Origin['renew'] = async (records) =>
      records.map(({ messageId }) =>
        messageId === 'b' ? { kind: 'refused', why: 'too much' } : { kind: 'renewed' },
      );
    const Records = [...['a', 'b', 'c'].map((id) => counted(id, 8, 'g')), counted('d', 8, 'h')];
    const answer = await sqsBatch(
      { ...door, invoke: async () => retry },
      meansWith({ renew }),
    )({
      Records,
    });
    // Whoever went behind b would be overtaken by it; the copies of a and c run once more.
    expect(answer.batchItemFailures).toEqual(failed('a', 'b', 'c'));
    expect(door.log.lines).toMatchObject([{ level: 'warn', fields: { why: 'too much' } }]);
  });

  it.each([
    ['a message is put on the queue again', retry, 8],
    ['a dead letter is put aside', giveUp, 1],
    ['what ran is settled before what may kill', { kind: 'done' } as const, 1],
  ])('counts the loading of what speaks with SQS, where %s', async (_, ran, received) => {
    const context = invocationOf(12_000);
    const means = { ...meansWith(), openOrigin: forEver };
    const Records = [counted('a', received), counted('z', 5)];
    const door = doorWith({ a: ran });
    const { answer, sparedMs } = await answered(
      sqsBatch(door, means)({ Records }, context),
      context,
    );
    expect(answer?.batchItemFailures).toEqual(ran.kind === 'done' ? [] : failed('a'));
    expect(sparedMs).toBeGreaterThanOrEqual(150);
  });

  it.each([
    ['give-up', giveUp],
    ['retry', retry],
  ])('has a last word on a run that took all of its time: %s', async (_, ran) => {
    const context = invocationOf(2_000);
    const scheduled: string[] = [];
    const upkeep = upkeepWith({
      async schedule({ id }) {
        await slowly(true);
        scheduled.push(id);
        return settled;
      },
    });
    const means = meansWith({ bury: () => slowly(true) }, upkeep);
    const door = { ...doorWith(), invoke: () => after(1_500, ran) };
    const Records = [record('a', 'g', ours())];
    const { answer } = await answered(sqsBatch(door, means)({ Records }, context), context);
    expect(answer?.batchItemFailures).toEqual([]);
    expect(scheduled).toEqual(ran === retry ? ['row-1'] : []);
  });

  it.each([
    ['where its run goes to the schedule', ours(), { schedule: forEver }],
    ['where its body is to be read', ours('kept'), { bodyOf: forEver }],
    ['where its set is to be expanded', ours('set'), { expand: forEver, schedule: forEver }],
  ])(
    'begins anew in time what waits for a database that never answers, %s',
    async (_, body, silent) => {
      const context = invocationOf(6_000);
      const renewed: string[] = [];
      const renew = takenAnew((id) => renewed.push(id));
      const means = meansWith({ renew }, upkeepWith(silent));
      const door = { ...doorWith(), invoke: async () => retry };
      const Records = [{ ...counted('a', 8), body }];
      const { answer, sparedMs } = await answered(
        sqsBatch(door, means)({ Records }, context),
        context,
      );
      expect([answer?.batchItemFailures, renewed]).toEqual([[], ['a']]);
      expect(sparedMs).toBeGreaterThanOrEqual(150);
    },
  );

  it('answers though a body that nobody needs any more cannot be dropped', async () => {
    const context = invocationOf(6_000);
    const bodyOf = async () => JSON.stringify(mapChanged());
    const means = meansWith({}, upkeepWith({ bodyOf, forget: forEver }));
    const Records = [record('a', 'g', ours('kept'))];
    const answering = sqsBatch(doorWith(), means)({ Records }, context);
    const { answer, sparedMs } = await answered(answering, context);
    expect(answer?.batchItemFailures).toEqual([]);
    expect(sparedMs).toBeGreaterThanOrEqual(150);
  });

  it.each([
    ['drops the body of what came once', 1, ['row-1']],
    ['keeps the body of what came before: that one may have buried it', 2, []],
  ])('%s', async (_, received, dropped) => {
    const forgotten: string[] = [];
    const forget = async (id: string) => void forgotten.push(id);
    const bodyOf = async () => JSON.stringify(mapChanged());
    const means = meansWith({}, upkeepWith({ bodyOf, forget }));
    const Records = [{ ...counted('a', received), body: ours('kept') }];
    expect((await sqsBatch(doorWith(), means)({ Records })).batchItemFailures).toEqual([]);
    expect(forgotten).toEqual(dropped);
  });

  it('keeps the body of what it could not settle, since that is received once more', async () => {
    const forget = () => expect.unreachable('it is the only one');
    const bodyOf = async () => JSON.stringify(mapChanged());
    const means = meansWith({ settle: async () => false }, upkeepWith({ bodyOf, forget }));
    const Records = [{ ...counted('a', 1), body: ours('kept') }];
    const door = doorWith();
    expect((await sqsBatch(door, means)({ Records })).batchItemFailures).toEqual([]);
    expect(door.log.lines).toEqual([]);
  });

  it('waits for SQS no longer than the invocation may last', async () => {
    const door = doorWith({ a: giveUp });
    const means = meansWith({ bury: () => new Promise(() => {}) });
    const context = { getRemainingTimeInMillis: () => 510 };
    const answer = await sqsBatch(door, means)({ Records: [record('a', 'g')] }, context);
    expect(answer.batchItemFailures).toEqual(failed('a'));
  });
});
