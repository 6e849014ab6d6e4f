import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sameJson } from '#shared/domain/json.ts';

describe('sameJson', () => {
  it.each<[string, unknown, unknown, boolean]>([
    ['keys in another order', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['items in another order', [1, 2], [2, 1], false],
    ['a list and an object alike', [], {}, false],
    ['an object and a list alike', {}, [], false],
    ['null and an object', null, {}, false],
    ['null and nothing', null, undefined, false],
    ['one key more', { a: 1 }, { a: 1, b: 2 }, false],
    ['one key less', { a: 1, b: 2 }, { a: 1 }, false],
    ['other keys', { a: 1 }, { b: 1 }, false],
    ['a key without a value', { a: 1, b: undefined }, { a: 1 }, true],
    ['a key that objects inherit', { a: 1, toString: 2 }, { a: 1, b: 2 }, false],
    ['the prototype of objects', JSON.parse('{"__proto__":{}}'), { a: 1 }, false],
    ['a list that is longer', [1], [1, 2], false],
    ['a number and its text', 1, '1', false],
    ['zeros', 0, -0, true],
  ])('compares %s', (_, a, b, expected) => {
    expect(sameJson(a, b)).toBe(expected);
  });

  it('says of any two values what Node says', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, true, 0, 1, 'a'),
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'toString', '__proto__'), tie('value'), {
          noNullPrototype: true,
        }),
      ),
    }));
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(sameJson(a, structuredClone(a))).toBe(true);
        expect(sameJson(a, b)).toBe(isDeepStrictEqual(a, b));
      }),
      { numRuns: 1_000 },
    );
  });
});
