import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  below,
  parsePointer,
  pointer,
  valueAt,
  type Way,
  wayOf,
} from '#shared/domain/json-pointer.ts';

describe('pointer', () => {
  it.each<[(string | number)[], string]>([
    [[], ''],
    [[''], '/'],
    [['spec', 'containers', 0, 'image'], '/spec/containers/0/image'],
    [['metadata', 'labels', 'a/b'], '/metadata/labels/a~1b'],
    [['m~n'], '/m~0n'],
    [['~1'], '/~01'],
    [[' ', 'k"l'], '/ /k"l'],
  ])('writes %j', (segments, text) => {
    expect(pointer(...segments)).toBe(text);
  });

  it('is read back as it was written, whatever the segments', () => {
    const segment = fc.oneof(
      fc.string(),
      fc.constantFrom('~', '/', '~0', '~1', '~01', '__proto__'),
    );
    fc.assert(
      fc.property(fc.array(segment), (segments) => {
        expect(parsePointer(pointer(...segments))).toEqual(segments);
      }),
    );
  });
});

describe('parsePointer', () => {
  it.each(['a', 'a/b', '/~', '/~2', '/a~', '/~~'])('refuses %j', (text) => {
    expect(parsePointer(text)).toBeUndefined();
    expect(wayOf(text)).toBeUndefined();
  });
});

const name = fc.oneof(
  fc.string(),
  fc.nat(400),
  fc.constantFrom('~', '/', '~0', '~1', '~01', '__proto__', '0'),
);

function names(way: Way | undefined): readonly string[] {
  return way?.above === undefined ? [] : [...names(way.above), way.name];
}

describe('what is remembered of pointers', () => {
  it('leads where they lead, and is written as they are, however many there are', () => {
    fc.assert(
      fc.property(fc.array(name, { maxLength: 5 }), (segments) => {
        const text = pointer(...segments);
        expect(segments.reduce<string>(below, '')).toBe(text);
        expect(names(wayOf(text))).toEqual(parsePointer(text));
      }),
      { numRuns: 3_000 },
    );
  });

  it('tells a number from its text no better than a pointer does', () => {
    expect([below('/a', 7), below('/a', '7')]).toEqual(['/a/7', '/a/7']);
  });
});

describe('an index', () => {
  it.each<[string, unknown]>([
    ['0', 'first'],
    ['10', 'last'],
    ['', undefined],
    ['-', undefined],
    ['-0', undefined],
    ['+1', undefined],
    ['1e0', undefined],
    ['0x1', undefined],
    [' 1', undefined],
    ['1.', undefined],
    ['1/', undefined],
    ['00', undefined],
    ['١', undefined],
    ['9'.repeat(400), undefined],
  ])('%j', (segment, value) => {
    const list = ['first', 1, 2, 3, 4, 5, 6, 7, 8, 9, 'last'];
    expect(valueAt(list, segment)).toBe(value);
  });
});

describe('valueAt', () => {
  it.each<[string, unknown, string | number, unknown]>([
    ['a member', { a: 1 }, 'a', 1],
    ['a missing member', { a: 1 }, 'b', undefined],
    ['an inherited member', {}, 'constructor', undefined],
    ['the prototype', {}, '__proto__', undefined],
    ['an own member of that name', JSON.parse('{"__proto__":1}'), '__proto__', 1],
    ['an item', ['a', 'b'], 1, 'b'],
    ['an item by text', ['a', 'b'], '1', 'b'],
    ['an index with a leading zero', ['a', 'b'], '01', undefined],
    ['an index beyond the end', ['a'], 1, undefined],
    ["a list's own length", ['a'], 'length', undefined],
    ['the end of a list', ['a'], '-', undefined],
    ['a member of null', null, 'a', undefined],
    ['a letter of a text', 'abc', 0, undefined],
  ])('finds %s', (_, node, segment, value) => {
    expect(valueAt(node, segment)).toBe(value);
  });
});
