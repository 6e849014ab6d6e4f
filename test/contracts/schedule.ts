import { beforeEach, describe, expect, it } from 'vitest';
import type { Outgoing } from '#events/queue.ts';
import { noise } from '#test/support/noise.ts';
import { type ScheduleUnderTest, type Words, wordsFor } from './schedule/words.ts';

/** What `events/schedule.ts` promises, whatever stands behind it. */
export function scheduleContract(name: string, open: () => Promise<ScheduleUnderTest>): void {
  describe(name, () => {
    let under: ScheduleUnderTest;
    let say: Words;
    beforeEach(async () => {
      under = await open();
      say = wordsFor(under);
    });

    describe('wakeups', () => wakeupCases(() => ({ under, say })));
    describe('periods', () => periodCases(() => ({ under, say })));
  });
}

type Stage = () => { readonly under: ScheduleUnderTest; readonly say: Words };

function wakeupCases(stage: Stage): void {
  it('puts nothing on the queue before its time, and all of it at its time', async () => {
    const { under, say } = stage();
    await under.schedule.add([say.later('g', 10_000)]);
    await under.advance(9_000);
    expect(await say.moved()).toEqual([]);
    await under.advance(1_000);
    expect(await say.moved()).toMatchObject([{ group: 'g', body: 'g', eventId: 'event of g' }]);
  });

  it('drops what waits for one function, its periods and what waits for others excepted', async () => {
    const { under, say } = stage();
    const [, other] = under.functions;
    const message = say.message('h', { function: other });
    await under.schedule.add([
      say.later('g', 0),
      say.retry('g', 60_000, 3),
      { message, reason: 'later', afterMs: 0 },
    ]);
    await under.schedule.setPeriods([{ message: say.message('p'), everySeconds: 60 }]);
    expect(await under.schedule.drop(say.message('g').function)).toBe(2);
    await under.advance(60_000);
    expect((await say.moved()).map(({ group }) => group).toSorted()).toEqual(['h', 'p']);
  });

  it('makes due what waits for one function, with its attempts; its periods and what waits for others wait on', async () => {
    const { under, say } = stage();
    const [one, other] = under.functions;
    const message = say.message('h', { function: other });
    await under.schedule.setPeriods([{ message: say.message('p'), everySeconds: 60 }]);
    expect(await say.moved()).toHaveLength(1);
    await under.schedule.add([
      say.later('g', 3_600_000),
      say.retry('g', 60_000, 3),
      say.later('due', 0),
      { message, reason: 'later', afterMs: 60_000 },
    ]);
    expect(await under.schedule.hasten(one)).toBe(2);
    const moved = await say.moved();
    expect(moved.map(({ group, attempt }) => `${group} ${attempt}`).toSorted()).toEqual([
      'due 0',
      'g 0',
      'g 3',
    ]);
    expect(await under.schedule.hasten(one)).toBe(0);
  });

  it('counts what waits for each function and says when the first is due, but for periods', async () => {
    const { under, say } = stage();
    const [one, two] = under.functions;
    const message = say.message('h', { function: two });
    expect(await under.schedule.depth()).toEqual([]);
    await under.schedule.add([
      ...[say.later('g', 40_000), say.retry('g', 25_000, 1)],
      { message, reason: 'later', afterMs: 0 },
    ]);
    await under.schedule.setPeriods([{ message: say.message('p'), everySeconds: 60 }]);
    await under.advance(10_000);
    const depths = await under.schedule.depth();
    expect(depths.map((each) => [each.function, each.scheduled])).toEqual([
      [one, 2],
      [two, 1],
    ]);
    expect(depths[0]?.nextMs).toBeGreaterThan(10_000);
    expect(depths[0]?.nextMs).toBeLessThanOrEqual(15_000);
    expect(depths[1]?.nextMs).toBe(0);
  });

  it('shows the next ones of a function with reason and attempt, and moves none of them', async () => {
    const { under, say } = stage();
    const [one] = under.functions;
    await under.schedule.add([say.later('g', 40_000), say.retry('h', 25_000, 3)]);
    await under.schedule.setPeriods([{ message: say.message('p'), everySeconds: 60 }]);
    const [first, second, ...more] = await under.schedule.peek(one, 5);
    const words = { function: one, type: 't.v1' };
    expect(first).toMatchObject({ ...words, group: 'h', reason: 'retry', attempt: 3 });
    expect(second).toMatchObject({ ...words, group: 'g', reason: 'later', attempt: 0 });
    expect(first?.dueMs).toBeGreaterThan(20_000);
    expect(first?.dueMs).toBeLessThanOrEqual(25_000);
    expect(more).toEqual([]);
    expect(await under.schedule.peek(one, 1)).toHaveLength(1);
    expect(await under.schedule.peek('nobody', 5)).toEqual([]);
  });

  it('moves each of them once', async () => {
    const { under, say } = stage();
    await under.schedule.add([say.later('g', 0)]);
    expect(await say.moved()).toHaveLength(1);
    await under.advance(600_000);
    expect(await say.moved()).toEqual([]);
  });

  it.each([
    ['the one that came first', 5_000, 50_000],
    ['the one that came last', 50_000, 5_000],
  ])('wakes at the earlier of two times, %s', async (_, first, second) => {
    const { under, say } = stage();
    await under.schedule.add([say.later('g', first)]);
    await under.schedule.add([say.later('g', second)]);
    await under.advance(5_000);
    expect(await say.moved()).toHaveLength(1);
    await under.advance(60_000);
    expect(await say.moved()).toEqual([]);
  });

  it.each([
    ['a later one with fewer', 7, 2],
    ['a later one with more', 2, 7],
  ])('never goes back in attempts by %s', async (_, first, second) => {
    const { under, say } = stage();
    await under.schedule.add([say.retry('g', 5_000, first)]);
    await under.schedule.add([say.retry('g', 5_000, second)]);
    await under.advance(5_000);
    expect(await say.moved()).toMatchObject([{ attempt: 7 }]);
  });

  it('takes the newer message of two', async () => {
    const { under, say } = stage();
    const { message } = say;
    await under.schedule.add([{ ...say.later('g', 0), message: message('g', { eventId: 'e1' }) }]);
    await under.schedule.add([{ ...say.later('g', 0), message: message('g', { eventId: 'e2' }) }]);
    expect(await say.moved()).toMatchObject([{ eventId: 'e2' }]);
  });

  it('keeps two of one batch for the same group as one', async () => {
    const { under, say } = stage();
    await under.schedule.add([say.retry('g', 9_000, 1), say.retry('g', 4_000, 3)]);
    await under.advance(4_000);
    expect(await say.moved()).toMatchObject([{ attempt: 3 }]);
  });

  it('keeps reasons, groups and functions apart', async () => {
    const { under, say } = stage();
    const [one, two] = under.functions;
    const other = { ...say.later('g', 0), message: say.message('g', { function: two }) };
    await under.schedule.add([say.later('g', 0), say.retry('g', 0, 1), say.later('h', 0), other]);
    const moved = await say.moved();
    expect(moved.map((each) => `${each.function} ${each.group}`).toSorted()).toEqual(
      [`${one} g`, `${one} g`, `${one} h`, `${two} g`].toSorted(),
    );
  });

  it('keeps what a deleted object left apart from what its successor of that name needs', async () => {
    const { under, say } = stage();
    const old = say.message('g', { mergeKey: 'u1/true', eventId: 'old' });
    const next = say.message('g', { mergeKey: 'u2/false', eventId: 'new' });
    await under.schedule.add([{ message: old, reason: 'retry', afterMs: 0 }]);
    await under.schedule.add([{ message: next, reason: 'retry', afterMs: 0 }]);
    expect((await say.moved()).map(({ eventId }) => eventId).toSorted()).toEqual(['new', 'old']);
  });

  it('adds nothing without a word', async () => {
    const { under, say } = stage();
    await under.schedule.add([]);
    expect(await say.moved()).toEqual([]);
  });

  it('moves no more than asked for, the ones that are due longest first', async () => {
    const { under, say } = stage();
    await under.schedule.add([say.later('c', 3_000), say.later('a', 1_000), say.later('b', 2_000)]);
    await under.advance(3_000);
    expect(await under.schedule.moveDue(2)).toMatchObject({ count: 2, nextMs: 0 });
    expect((await say.received()).map(({ group }) => group).toSorted()).toEqual(['a', 'b']);
    expect(await under.schedule.moveDue(2)).toMatchObject({ count: 1 });
  });

  it('moves each once when two move at the same time', async () => {
    const { under, say } = stage();
    const groups = Array.from({ length: 20 }, (_, at) => `g${at}`);
    await under.schedule.add(groups.map((group) => say.later(group, 0)));
    const counts = await Promise.all([1, 2, 3, 4].map(() => under.schedule.moveDue(7)));
    const rest = await under.schedule.moveDue(100);
    expect([...counts, rest].reduce((sum, { count }) => sum + count, 0)).toBe(20);
    expect(await say.received()).toHaveLength(20);
  });

  it('says for how long nothing will be due', async () => {
    const { under, say } = stage();
    await under.schedule.add([say.later('g', 40_000), say.later('h', 25_000)]);
    await under.advance(10_000);
    const { nextMs } = await under.schedule.moveDue(10);
    expect(nextMs).toBeGreaterThan(10_000);
    expect(nextMs).toBeLessThanOrEqual(15_000);
  });

  it('refuses a message that cannot be sent, and the others of its batch with it', async () => {
    const { under, say } = stage();
    const bad = { ...say.later('h', 0), message: say.message('h', { body: '\0' }) };
    await expect(under.schedule.add([say.later('g', 0), bad])).rejects.toThrow('NUL');
    expect(await say.moved()).toEqual([]);
  });

  it('takes the longest names that there may be, and refuses longer ones', async () => {
    const { under, say } = stage();
    const group = noise(1_000);
    const add = (mergeKey: string) => {
      const message = say.message(group, { mergeKey, eventId: 'e' });
      return under.schedule.add([{ ...say.later('g', 0), message }]);
    };
    await add(noise(1_000));
    const refused = expect(add(twoBytesEach(noise(1_000)))).rejects;
    await refused.toThrow('group and mergeKey are too long together');
    expect(await say.moved()).toMatchObject([{ group }]);
  });

  it('keeps a body as it is', async () => {
    const { under, say } = stage();
    const body = '{ "a": "größe 🦊 \\u0000" }\n';
    await under.schedule.add([{ ...say.later('g', 0), message: say.message('g', { body }) }]);
    expect((await say.moved())[0]?.body).toBe(body);
  });
}

function periodCases(stage: Stage): void {
  const every = (everySeconds: number, message: Outgoing) => ({ message, everySeconds });

  it('wakes a new period at once', async () => {
    const { under, say } = stage();
    await under.schedule.setPeriods([every(60, say.message('period'))]);
    expect(await say.moved()).toHaveLength(1);
  });

  it('wakes again after each period, by no more than the moving', async () => {
    const { under, say } = stage();
    await under.schedule.setPeriods([every(60, say.message('period'))]);
    const woken: number[] = [];
    for (const ms of [0, 50_000, 10_000, 60_000, 60_000]) {
      await under.advance(ms);
      woken.push((await say.moved()).length);
    }
    expect(woken).toEqual([1, 0, 1, 1, 1]);
  });

  it('makes up for no periods that nobody moved', async () => {
    const { under, say } = stage();
    await under.schedule.setPeriods([every(60, say.message('period'))]);
    await say.moved();
    await under.advance(600_000);
    expect(await say.moved()).toHaveLength(1);
    expect(await say.moved()).toEqual([]);
  });

  it('leaves a period alone that is named again', async () => {
    const { under, say } = stage();
    const periods = [every(60, say.message('period'))];
    await under.schedule.setPeriods(periods);
    await say.moved();
    await under.advance(30_000);
    await under.schedule.setPeriods(periods);
    expect(await say.moved()).toEqual([]);
    await under.advance(30_000);
    expect(await say.moved()).toHaveLength(1);
  });

  it('ends a period that is not named any more', async () => {
    const { under, say } = stage();
    const [, two] = under.functions;
    const kept = every(60, say.message('kept', { function: two }));
    await under.schedule.setPeriods([every(60, say.message('ends')), kept]);
    await say.moved();
    await under.schedule.setPeriods([kept]);
    await under.advance(60_000);
    expect((await say.moved()).map(({ group }) => group)).toEqual(['kept']);
  });

  it.each([
    ['no seconds', 0],
    ['less', -5],
    ['parts of one', 1.5],
    ['more than a row holds', 2 ** 31],
    ['null', null],
    ['a text', '60s'],
  ])('wakes the others where a period is of %s', async (_, wrong) => {
    const { under, say } = stage();
    const [, two] = under.functions;
    const kept = every(60, say.message('kept', { function: two }));
    await under.schedule.setPeriods([every(wrong as number, say.message('wrong')), kept]);
    expect((await say.moved()).map(({ group }) => group)).toEqual(['kept']);
    expect(await say.moved()).toEqual([]);
  });

  it('keeps wakeups when periods end', async () => {
    const { under, say } = stage();
    await under.schedule.setPeriods([every(60, say.message('period'))]);
    await say.moved();
    await under.schedule.add([say.later('period', 10_000)]);
    await under.schedule.setPeriods([]);
    await under.advance(600_000);
    expect(await say.moved()).toHaveLength(1);
  });

  it.each(['later', 'retry'] as const)('goes on with a period beside its %s', async (reason) => {
    const { under, say } = stage();
    await under.schedule.setPeriods([every(60, say.message('period'))]);
    await say.moved();
    await under.schedule.add([{ message: say.message('period'), reason, afterMs: 90_000 }]);
    await under.advance(60_000);
    expect(await say.moved()).toHaveLength(1);
    await under.advance(30_000);
    expect(await say.moved()).toHaveLength(1);
  });

  it('wakes by a shorter period as soon as that says', async () => {
    const { under, say } = stage();
    await under.schedule.setPeriods([every(3_600, say.message('period'))]);
    await say.moved();
    await under.schedule.setPeriods([every(60, say.message('period'))]);
    await under.advance(60_000);
    expect(await say.moved()).toHaveLength(1);
  });

  it('re-arms a period once when two move at the same time', async () => {
    const { under, say } = stage();
    await under.schedule.setPeriods([every(60, say.message('period'))]);
    const both = await Promise.all([under.schedule.moveDue(5), under.schedule.moveDue(5)]);
    expect(both.reduce((sum, { count }) => sum + count, 0)).toBe(1);
    await under.advance(60_000);
    await say.received();
    expect(await say.moved()).toHaveLength(1);
  });
}

function twoBytesEach(text: string): string {
  return text.replaceAll(/./g, (letter) => String.fromCodePoint(0x100 + letter.charCodeAt(0)));
}
