import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePointer, pointer, valueAt } from '#shared/domain/json-pointer.ts';

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
