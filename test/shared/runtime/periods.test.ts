import { describe, expect, it } from 'vitest';
import { done, giveUp, later, type Outcome, retry } from '#shared/domain/outcome.ts';
import { type After, type Periodic, pauseSeconds, startPeriods } from '#shared/runtime/periods.ts';
import { reconcileBy } from '#test/support/running.ts';

const minute = reconcileBy(() => done, { everySeconds: 60 });

/** Time that goes on when it is told to: from one call to the next. */
function turning() {
  let waiting: { readonly ms: number; readonly call: () => void } | undefined;
  const after: After = (ms, call) => {
    waiting = { ms, call };
    return () => {
      waiting = undefined;
    };
  };
  return {
    after,
    next: () => waiting?.ms,
    async turn() {
      const { call } = waiting ?? { call: () => {} };
      waiting = undefined;
      call();
      await settled();
    },
  };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function started(outcomes: readonly Outcome[], more: Partial<Periodic> = {}) {
  const time = turning();
  const wakes: unknown[] = [];
  const run: Periodic['run'] = async (_, wake) => {
    wakes.push(wake);
    return outcomes[wakes.length - 1] ?? done;
  };
  const periods = startPeriods({
    functions: [minute],
    run,
    isEnabled: () => true,
    everySecondsOf: () => 60,
    random: () => 0.5,
    after: time.after,
    ...more,
  });
  await settled();
  return { time, wakes, periods };
}

describe('startPeriods', () => {
  it('runs each function at once, and again when its period is over', async () => {
    const { time, wakes } = await started([]);
    expect(wakes).toEqual([{ kind: 'period', function: 'follow-maps' }]);
    expect(time.next()).toBe(60_000);
    await time.turn();
    expect(wakes).toHaveLength(2);
  });

  it('leaves functions alone that have no period', async () => {
    const { wakes } = await started([], { functions: [reconcileBy(() => done)] });
    expect(wakes).toEqual([]);
  });

  it('does not count on the next run before the one under way has ended', async () => {
    const first = Promise.withResolvers<Outcome>();
    const { time } = await started([], { run: () => first.promise });
    expect(time.next()).toBeUndefined();
    first.resolve(done);
    await settled();
    expect(time.next()).toBe(60_000);
  });

  it('backs off while it has to retry, and forgets it afterwards', async () => {
    const away = retry('away');
    const { time } = await started([away, away, away, done, away], { random: () => 0.999_999 });
    const pauses: number[] = [];
    for (const _ of [1, 2, 3, 4, 5]) {
      pauses.push(Math.round((time.next() ?? 0) / 1_000));
      await time.turn();
    }
    expect(pauses).toEqual([2, 4, 8, 66, 2]);
  });

  it('comes back early when the function says so', async () => {
    const { time } = await started([later(7)]);
    expect(time.next()).toBe(7_000);
  });

  it('leaves a function out while it is switched off, and looks again soon', async () => {
    let isOn = false;
    const { time, wakes } = await started([], { isEnabled: () => isOn });
    expect(wakes).toEqual([]);
    expect(time.next()).toBe(5_000);
    isOn = true;
    await time.turn();
    expect(wakes).toHaveLength(1);
  });

  it('stops: nothing is planned any more', async () => {
    const { time, periods } = await started([]);
    await periods.stop();
    expect(time.next()).toBeUndefined();
  });

  it('stops only when the run under way has ended, and plans none after it', async () => {
    const first = Promise.withResolvers<Outcome>();
    const { time, periods } = await started([], { run: () => first.promise });
    const ended: string[] = [];
    const stopping = periods.stop().then(() => ended.push('stopped'));
    await settled();
    expect(ended).toEqual([]);
    first.resolve(retry('away'));
    await stopping;
    expect(time.next()).toBeUndefined();
  });
});

describe('pauseSeconds', () => {
  const at = { everySeconds: 60, failures: 1, random: 0.5 };

  it.each<[string, Outcome, object, number]>([
    ['the period after done', done, {}, 60],
    ['the period after giving up', giveUp('never'), {}, 60],
    ['a little less for a low number', done, { random: 0 }, 54],
    ['a little more for a high one', done, { random: 1 }, 66],
    ['what the function asked for', later(7), {}, 7],
    ['never longer than the period', later(700), {}, 60],
    ['never without a pause', later(0), {}, 1],
    ['never without a pause, whatever it says', later(Number.NaN), {}, 1],
    ['two seconds at most after the first failure', retry('away'), { random: 1 }, 2],
    ['half of it at least', retry('away'), { random: 0 }, 1],
    ['five minutes at most', retry('away'), { failures: 99, random: 1 }, 300],
  ])('is %s', (_, outcome, more, expected) => {
    expect(pauseSeconds(outcome, { ...at, ...more })).toBe(expected);
  });
});
