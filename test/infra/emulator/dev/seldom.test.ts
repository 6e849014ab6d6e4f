import { expect, it } from 'vitest';
import { seldom } from '#infra/emulator/dev/seldom.ts';

it('says the same once in so long, and all else at once', () => {
  const said: string[] = [];
  let now = 0;
  const say = seldom({ say: (text) => said.push(text), everyMs: 100, now: () => now });
  say('full');
  now = 99;
  say('full');
  say('empty');
  now = 100;
  say('full');
  expect(said).toEqual(['full', 'empty', 'full']);
});
