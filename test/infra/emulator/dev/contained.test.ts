import { expect, it } from 'vitest';
import { isContained } from '#infra/emulator/dev/contained.ts';

it.each([
  ['what the server has added', { a: 1 }, { a: 1, uid: 'x' }, true],
  ['defaults inside of a list', { a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }] }, true],
  ['another value', { a: { b: 1 } }, { a: { b: 2 } }, false],
  ['what is not there', { a: { b: 1 } }, {}, false],
  ['nothing at all', { a: 1 }, undefined, false],
  ['an item more', { a: [1] }, { a: [1, 2] }, false],
  ['another order', { a: [1, 2] }, { a: [2, 1] }, false],
  ['a list in the place of a map', { a: {} }, { a: [] }, false],
])('looks at %s', (_, wanted, found, isThere) => {
  expect(isContained(wanted, found)).toBe(isThere);
});
