import { describe, expect, it } from 'vitest';
import { hasRoomFor } from '#shared/domain/annotation-room.ts';

/** What the API server takes of all keys and values together. */
const most = 262_144;

describe('hasRoomFor', () => {
  it.each<[string, Record<string, string>, Record<string, string | null>, boolean]>([
    ['a few letters', { a: 'b' }, { c: 'd' }, true],
    ['the very last byte', { a: 'x'.repeat(most - 3) }, { b: 'y' }, true],
    ['one byte more', { a: 'x'.repeat(most - 2) }, { b: 'y' }, false],
    ['letters of two bytes that fit', { a: 'ä'.repeat(most / 2 - 2) }, { b: 'y' }, true],
    ['letters of two bytes that do not', { a: 'ä'.repeat(most / 2 - 1) }, { b: 'y' }, false],
    ['what takes the place of others', { a: 'x'.repeat(most - 1) }, { a: 'y' }, true],
    ['what goes', { a: 'x'.repeat(most - 1), b: 'y' }, { b: null }, true],
  ])('is asked for %s', (_, annotations, more, expected) => {
    expect(hasRoomFor(annotations, more)).toBe(expected);
  });
});
