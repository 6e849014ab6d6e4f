import { expect, it } from 'vitest';
import { placeIn } from '#infra/cli/dev/place-in.ts';

const stack = (...places: readonly string[]) =>
  ['Error: stuck', ...places.map((place) => `    at handler (${place})`)].join('\n');

it.each([
  ['in a function', ['node:internal/x:1:2', 'file:///own/greet.ts:12:3'], '/own/greet.ts:12'],
  ['in one that was saved', ['file:///own/greet.ts?gatehouse=2:12:3'], '/own/greet.ts:12'],
  [
    'in what it calls',
    ['file:///own/words.ts:3:1', 'file:///own/greet.ts:12:3'],
    '/own/words.ts:3',
  ],
  [
    'in a package that it calls',
    ['file:///p/x.js:3:1', 'file:///own/greet.ts:12:3'],
    '/own/greet.ts:12',
  ],
  ['in a folder with a blank', ['file:///own/my%20team/greet.ts:1:1'], '/own/my team/greet.ts:1'],
  ['in none', ['file:///owner/greet.ts:1:1', 'node:internal/x:1:2'], undefined],
])('a stack that stands %s is told by its place', (_, places, told) => {
  expect(placeIn(stack(...places), ['/own'])).toBe(told);
});
