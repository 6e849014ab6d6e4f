import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode } from '#shared/domain/decode.ts';
import {
  type LabelRequirement,
  type LabelSelector,
  labelSelector,
  matchesLabels,
  parseSelector,
  selectorText,
} from '#shared/domain/selector.ts';

const expression = (
  key: string,
  operator: LabelRequirement['operator'],
  ...values: string[]
): LabelSelector => ({
  matchExpressions: [values.length === 0 ? { key, operator } : { key, operator, values }],
});

describe('matchesLabels', () => {
  it.each<[string, LabelSelector, Record<string, string>, boolean]>([
    ['an empty selector, no labels', {}, {}, true],
    ['an empty selector, any labels', {}, { a: 'b' }, true],
    ['empty parts', { matchLabels: {}, matchExpressions: [] }, { a: 'b' }, true],
    ['an equal label', { matchLabels: { a: 'b' } }, { a: 'b', c: 'd' }, true],
    ['another value', { matchLabels: { a: 'b' } }, { a: 'c' }, false],
    ['an absent label', { matchLabels: { a: 'b' } }, {}, false],
    ['an empty value, absent', { matchLabels: { a: '' } }, {}, false],
    ['an empty value, present', { matchLabels: { a: '' } }, { a: '' }, true],
    ['In, among', expression('a', 'In', 'x', 'y'), { a: 'y' }, true],
    ['In, not among', expression('a', 'In', 'x', 'y'), { a: 'z' }, false],
    ['In, absent', expression('a', 'In', 'x'), {}, false],
    ['In of nothing', expression('a', 'In'), { a: 'x' }, false],
    ['NotIn, among', expression('a', 'NotIn', 'x'), { a: 'x' }, false],
    ['NotIn, not among', expression('a', 'NotIn', 'x'), { a: 'y' }, true],
    ['NotIn, absent', expression('a', 'NotIn', 'x'), {}, true],
    ['Exists', expression('a', 'Exists'), { a: '' }, true],
    ['Exists, absent', expression('a', 'Exists'), { b: '' }, false],
    ['DoesNotExist', expression('a', 'DoesNotExist'), { b: '' }, true],
    ['DoesNotExist, present', expression('a', 'DoesNotExist'), { a: '' }, false],
    ['a key that every object inherits', expression('constructor', 'Exists'), {}, false],
    ['its absence', expression('constructor', 'DoesNotExist'), {}, true],
    [
      'both parts, one fails',
      { matchLabels: { a: 'b' }, ...expression('c', 'Exists') },
      { a: 'b' },
      false,
    ],
    [
      'both parts hold',
      { matchLabels: { a: 'b' }, ...expression('c', 'Exists') },
      { a: 'b', c: 'd' },
      true,
    ],
  ])('judges %s', (_, selector, labels, expected) => {
    expect(matchesLabels(selector, labels)).toBe(expected);
  });
});

describe('labelSelector', () => {
  it.each([
    [expression('a', 'In')],
    [expression('a', 'NotIn')],
    [expression('a', 'Exists', 'x')],
    [expression('a', 'DoesNotExist', 'x')],
  ])('refuses what the API server refuses: %j', (selector) => {
    expect(decode(labelSelector, selector)).toMatchObject({
      ok: false,
      problems: [{ path: '$.matchExpressions[0]' }],
    });
  });
});

describe('parseSelector', () => {
  it.each<[string, LabelSelector]>([
    ['', {}],
    ['  ', {}],
    ['a=b', { matchLabels: { a: 'b' } }],
    ['a==b', { matchLabels: { a: 'b' } }],
    [' a = b , c == d ', { matchLabels: { a: 'b', c: 'd' } }],
    ['a=', { matchLabels: { a: '' } }],
    ['a!=b', expression('a', 'NotIn', 'b')],
    ['a', expression('a', 'Exists')],
    ['!a', expression('a', 'DoesNotExist')],
    ['! a', expression('a', 'DoesNotExist')],
    ['a in (x,y)', expression('a', 'In', 'x', 'y')],
    ['a in ( x , y )', expression('a', 'In', 'x', 'y')],
    ['a in (x,)', expression('a', 'In', 'x', '')],
    ['a notin (x)', expression('a', 'NotIn', 'x')],
    ['in in (in)', { matchLabels: { in: 'in' } }],
    ['x.io/a=b', { matchLabels: { 'x.io/a': 'b' } }],
    [
      'a=b,c!=d,e in (x,y),!f,g',
      {
        matchLabels: { a: 'b' },
        matchExpressions: [
          { key: 'c', operator: 'NotIn', values: ['d'] },
          { key: 'e', operator: 'In', values: ['x', 'y'] },
          { key: 'f', operator: 'DoesNotExist' },
          { key: 'g', operator: 'Exists' },
        ],
      },
    ],
    [
      'a=b,a=c',
      {
        matchExpressions: [
          { key: 'a', operator: 'In', values: ['b'] },
          { key: 'a', operator: 'In', values: ['c'] },
        ],
      },
    ],
  ])('reads %j', (text, selector) => {
    expect(parseSelector(text)).toEqual(selector);
  });

  it.each([
    'a=b,',
    ',a=b',
    'a=b,,c=d',
    '=b',
    'a=b=c',
    'a in x',
    'a in (x',
    'a in x)',
    'a inside (x)',
    'a in (x y)',
    'a b',
    'a>1',
    'a<1',
    '-a=b',
    'a=-b',
    'a=b-',
    '/a=b',
    'X.io/a=b',
    'a/b/c',
    `a=${'x'.repeat(64)}`,
    `${'x'.repeat(64)}=b`,
    '!a=b',
  ])('refuses %j', (text) => {
    expect(parseSelector(text)).toBeUndefined();
  });

  it('reads back what was written, meaning the same', () => {
    const name = fc.constantFrom('a', 'b', 'x.io/c', 'd_e');
    const values = fc.array(fc.constantFrom('x', 'y', 'z'), { minLength: 1, maxLength: 3 });
    const requirement = fc.oneof(
      fc.record({ key: name, operator: fc.constantFrom('In', 'NotIn'), values }),
      fc.record({ key: name, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
    ) as fc.Arbitrary<LabelRequirement>;
    const labels = fc.dictionary(name, fc.constantFrom('x', 'y', 'z'));
    const selector = fc.record(
      { matchLabels: labels, matchExpressions: fc.array(requirement, { maxLength: 4 }) },
      { requiredKeys: [] },
    );

    fc.assert(
      fc.property(selector, labels, (stated, found) => {
        const read = parseSelector(selectorText(stated));
        expect(read && matchesLabels(read, found)).toBe(matchesLabels(stated, found));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('selectorText', () => {
  it('is what the API takes', () => {
    const selector = parseSelector('a=b,c!=d,e in (x,y),!f,g');
    expect(selector && selectorText(selector)).toBe('a=b,c notin (d),e in (x,y),!f,g');
    expect(selectorText({})).toBe('');
  });
});
