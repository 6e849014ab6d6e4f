import { expect, it } from 'vitest';
import { lookAgain } from '#shared/runtime/forwarding/look-again.ts';
import { pause } from '#shared/runtime/pause.ts';
import { eventually } from '#test/support/working.ts';

it('looks once at each new configuration, and not again at the same one', async () => {
  const ended = new AbortController();
  let generation = 1;
  let looks = 0;
  const look = async () => {
    looks += 1;
  };
  const config = { generation: () => generation };
  const looking = lookAgain(look, { config, signal: ended.signal, everyMs: 2 });
  await pause(20);
  expect(looks).toBe(0);
  for (const expected of [1, 2]) {
    generation += 1;
    await eventually(() => expect(looks).toBe(expected));
  }
  await pause(20);
  expect(looks).toBe(2);
  ended.abort();
  await looking;
});
