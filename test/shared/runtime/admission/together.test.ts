import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { together } from '#shared/runtime/admission/together.ts';

it('does what came in one turn at its end, in the order in which it came', async () => {
  const done: string[] = [];
  const soon = together((item: string) => done.push(item));

  for (const item of ['a', 'b', 'c']) soon(item);
  expect(done).toEqual([]);
  await turn();
  expect(done).toEqual(['a', 'b', 'c']);
});

it('does what comes while it works in the next turn', async () => {
  const done: string[] = [];
  const soon = together((item: string) => {
    done.push(item);
    if (item === 'a') soon('later');
  });

  soon('a');
  soon('b');
  await turn();
  expect(done).toEqual(['a', 'b']);
  await turn();
  expect(done).toEqual(['a', 'b', 'later']);
});

it('lets what is known already be answered before the next one begins', async () => {
  const done: string[] = [];
  const act = async (item: string) => {
    done.push(`${item} begins`);
    for (let count = 0; count < 20; count += 1) await undefined;
    done.push(`${item} ends`);
  };
  const soon = together((item: string) => void act(item));

  for (const item of ['a', 'b']) soon(item);
  await turn();
  await turn();
  expect(done).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});
