import { describe, expect, it } from 'vitest';
import { mismatches, valueAt } from './matching.ts';
import { filledAll } from './place.ts';

describe('an answer is as expected', () => {
  it.each<[string, unknown, unknown]>([
    ['with more fields than are stated', { a: 1, b: 2 }, { a: 1 }],
    ['without a field that is null', { a: 1 }, { b: null }],
    ['with null where null is stated', { b: null }, { b: null }],
    ['with a text of the pattern', { m: 'at 12:30' }, { m: '/^at \\d+/' }],
    ['with a number of the pattern', { code: 201 }, { code: '/^20/' }],
    ['with a time', { t: '2026-01-02T03:04:05Z' }, { t: '<time>' }],
    ['with causes in another order', { causes: [{ f: 1 }, { f: 2 }] }, { causes: [{ f: 2 }, {}] }],
  ])('%s', (_, found, expected) => {
    expect(mismatches(found, expected)).toEqual([]);
  });
});

describe('an answer is off', () => {
  it.each<[string, unknown, unknown, string]>([
    ['where a field is another', { a: 1 }, { a: 2 }, '$.a: expected 2, found 1'],
    ['where a field is missing', {}, { a: '<any>' }, '$.a: expected "<any>", found nothing'],
    ['where a field is too many', { a: 1 }, { a: null }, '$.a: expected null, found 1'],
    ['where a list is longer', { l: [1, 2] }, { l: [1] }, '$.l: expected [1], found [1,2]'],
    ['where an item is another', { l: [1, 2] }, { l: [1, 3] }, '$.l[1]: expected 3, found 2'],
    [
      'where a text differs in a blank',
      { m: 'a b' },
      { m: 'ab' },
      '$.m: expected "ab", found "a b"',
    ],
    [
      'where a cause is another',
      { causes: [{ f: 1 }] },
      { causes: [{ f: 2 }] },
      '$.causes: expected [{"f":2}], found [{"f":1}]',
    ],
    ['where a number is a text', { n: '0' }, { n: 0 }, '$.n: expected 0, found "0"'],
  ])('%s', (_, found, expected, said) => {
    expect(mismatches(found, expected)).toEqual([said]);
  });
});

it('finds a value by its path', () => {
  const body = { metadata: { labels: { 'a.b/c': 'd' } }, items: [{ name: 'e' }] };
  expect(valueAt(body, 'metadata.labels[a.b/c]')).toBe('d');
  expect(valueAt(body, 'items.0.name')).toBe('e');
  expect(valueAt(body, 'items.1.name')).toBeUndefined();
});

it('puts what is known for names in braces, and leaves the others', () => {
  const names = new Map([
    ['ns', 'here'],
    ['port', '8443'],
  ]);
  const value = { '{ns}.example': ['{ns}/a', '{"k":1}', '{b*3}', '{#port}', '{other}'] };
  expect(filledAll(value, names)).toEqual({
    'here.example': ['here/a', '{"k":1}', 'bbb', 8443, '{other}'],
  });
});
