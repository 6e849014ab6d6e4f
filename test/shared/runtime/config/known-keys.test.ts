import { describe, expect, it } from 'vitest';
import { nearestKey, siblings } from '#shared/runtime/config/known-keys.ts';

const known = ['a', 'a.port', 'b', 'b.port', 'b.items', 'b.items[].weight'];

describe('nearestKey', () => {
  it.each([
    ['the one in the same place, of two equally near', 'b.prt', 'b.port'],
    ['the one that is nearer, wherever it stands', 'a.items', 'b.items'],
    ['one below a list', 'b.items[3].wieght', 'b.items[].weight'],
    ['nothing where nothing is near', 'b.colour', undefined],
  ])('finds %s', (_, path, expected) => {
    expect(nearestKey(path, known)).toBe(expected);
  });
});

describe('siblings', () => {
  it('are what may stand there, by their last names', () => {
    expect(siblings('b.colour', known)).toEqual(['port', 'items']);
    expect(siblings('colour', known)).toEqual(['a', 'b']);
    expect(siblings('b.items[0].colour', known)).toEqual(['weight']);
  });
});
