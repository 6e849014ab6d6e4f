import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { attempts } from '#shared/adapters/image-trust/attempt.ts';
import { refusedQuestion } from '#shared/domain/image-trust/verdict-store.ts';

const hangs = () => new Promise<never>(() => undefined);
const bounds = { eachMs: 400, doubtedMs: 20, restMs: 1 };

async function tookMs(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** Until it rests no more. */
const rested = (attempt: ReturnType<typeof attempts>) => attempt.again();

describe('what is shared and hangs', () => {
  it('costs the first who asks a wait, and whoever tries again much less', async () => {
    const attempt = attempts(bounds);
    expect(await tookMs(() => attempt(hangs))).toBeGreaterThan(390);
    for (const _ of [1, 2, 3]) {
      expect(await attempt(async () => 'nobody waits')).toBeUndefined();
      rested(attempt);
      const tried = await tookMs(() => attempt(hangs));
      expect(tried).toBeLessThan(390);
    }
  });

  it('is given its usual time again once it has answered, late or not', async () => {
    const attempt = attempts(bounds);
    await attempt(hangs);
    rested(attempt);
    const slow = Promise.withResolvers<string>();
    expect(await attempt(() => slow.promise)).toBeUndefined();
    slow.resolve('late');
    await slow.promise;
    rested(attempt);
    const answer = () => sleep(100, 'in time');
    expect(await attempt(answer)).toEqual({ value: 'in time' });
  });

  it('rests after a failure, and not after a question that it refused', async () => {
    const attempt = attempts();
    const refuses = () => Promise.reject(refusedQuestion());
    expect(await attempt(refuses)).toBeUndefined();
    expect(await attempt(async () => 'others')).toEqual({ value: 'others' });
    expect(await attempt(() => Promise.reject(new Error('away')))).toBeUndefined();
    expect(await attempt(async () => 'others')).toBeUndefined();
  });

  it('is not taken for late where we were busy ourselves when it answered', async () => {
    const attempt = attempts({ ...bounds, eachMs: 20 });
    await new Promise((resolve) => setImmediate(resolve));
    // It comes as an answer from a socket does, which is looked for after the timers.
    const asked = attempt(() => stat('package.json'));
    const until = performance.now() + 60;
    while (performance.now() < until);
    expect(await asked).toMatchObject({ value: { size: expect.any(Number) } });
  });
});
