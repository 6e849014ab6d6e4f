import { describe, expect, it } from 'vitest';
import { turnstile } from '#test/bench/support/rollout/turnstile.ts';

describe('the turnstile', () => {
  it('lets so many in at once, the others in order, and stays open after a failure', async () => {
    const enter = turnstile(2);
    const log: string[] = [];
    const doors = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const runs = doors.map(({ promise }, index) =>
      enter(() => {
        log.push(`in ${index}`);
        return promise;
      }).catch(() => 'failed'),
    );
    await Promise.resolve();
    expect(log).toEqual(['in 0', 'in 1']);
    doors[1]?.reject(new Error('no'));
    await runs[1];
    expect(log).toEqual(['in 0', 'in 1', 'in 2']);
    for (const { resolve } of doors) resolve();
    await Promise.all(runs);
    expect(log).toEqual(['in 0', 'in 1', 'in 2', 'in 3']);
  });
});
