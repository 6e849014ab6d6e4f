import { describe, expect, it } from 'vitest';
import { openBell } from '#events/postgres-queue/bell.ts';

const never = new AbortController().signal;
const long = Promise.resolve(60_000);

/** Whoever has come back by the end of the turn. */
async function backOf(waiting: readonly Promise<unknown>[]): Promise<readonly boolean[]> {
  const back = waiting.map(() => false);
  waiting.forEach((each, at) => {
    void each.then(() => {
      back[at] = true;
    });
  });
  await new Promise((resolve) => setImmediate(resolve));
  return back;
}

describe('the bell', () => {
  it('wakes one of those whom a function concerns', async () => {
    const bell = openBell();
    const waiting = ['a', 'a', 'b'].map((name) => bell.listen([name]).wait(long, never));
    bell.ring(['a']);
    expect(await backOf(waiting)).toEqual([true, false, false]);
  });

  it('wakes another one when it rings again', async () => {
    const bell = openBell();
    const waiting = ['a', 'a'].map((name) => bell.listen([name]).wait(long, never));
    bell.ring(['a']);
    bell.ring(['a']);
    expect(await backOf(waiting)).toEqual([true, true]);
  });

  it('wakes everybody where it is not known whom it concerns', async () => {
    const bell = openBell();
    const waiting = ['a', 'b'].map((name) => bell.listen([name]).wait(long, never));
    bell.ring();
    expect(await backOf(waiting)).toEqual([true, true]);
  });

  it('was heard by whoever listened, even before he waits', async () => {
    const bell = openBell();
    const listening = bell.listen(['a']);
    bell.ring(['a']);
    expect(await backOf([listening.wait(long, never)])).toEqual([true]);
  });

  it('wakes the next one where somebody heard it and left', async () => {
    const bell = openBell();
    const leaving = bell.listen(['a']);
    const waiting = [bell.listen(['a']).wait(long, never)];
    bell.ring(['a']);
    expect(await backOf(waiting)).toEqual([false]);
    leaving.end();
    expect(await backOf(waiting)).toEqual([true]);
  });

  it('lets go at the end of the time, and at the signal', async () => {
    const bell = openBell();
    const abort = new AbortController();
    const timely = bell.listen(['a']).wait(Promise.resolve(1), never);
    const aborted = bell.listen(['a']).wait(long, abort.signal);
    abort.abort();
    await Promise.all([timely, aborted]);
  });
});
