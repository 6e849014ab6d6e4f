import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { inTime } from '#shared/adapters/image-trust/in-time.ts';

const rules = { timeoutMs: 5 };

it.each([
  ['is over before it is asked', AbortSignal.abort()],
  ['runs out', new AbortController().signal],
])('what fails once the time %s is no failure of the process', async (_, signal) => {
  const told = vi.fn();
  process.on('unhandledRejection', told);
  onTestFinished(() => void process.off('unhandledRejection', told));
  const work = Promise.withResolvers<never>();
  expect(await inTime(work.promise, { rules, signal })).toBeUndefined();
  work.reject(new Error('too late'));
  await turn();
  await turn();
  expect(told).not.toHaveBeenCalled();
});
