import { setTimeout as after } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { hold } from '#shared/runtime/worker/hold.ts';

it('asks and tells no more once the message is lost', async () => {
  const [asked, lost]: [string[], string[]] = [[], []];
  const extend = async (receipt: string) => {
    asked.push(receipt);
    return asked.length < 2;
  };
  const onLost = () => void lost.push('lost');
  const letGo = hold({ queue: { extend }, receipt: 'r', visibilityMs: 15, onLost });
  await expect.poll(() => lost, { interval: 1 }).toEqual(['lost']);
  await after(50);
  letGo();
  expect([asked, lost]).toEqual([['r', 'r'], ['lost']]);
});
