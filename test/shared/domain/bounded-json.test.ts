import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBounded } from '#shared/domain/bounded-json.ts';

const usual = { maxBytes: 1 << 16, maxDepth: 32, maxMarks: 2_000_000 };

describe('parseBounded', () => {
  const read = (text: string, bounds = {}) =>
    parseBounded(Buffer.from(text), { ...usual, ...bounds });

  it.each([
    ['depth', { maxDepth: 2 }, '[[0]]', '[[[0]]]'],
    ['marks', { maxMarks: 4 }, '[0,0,0,0]', '[0,0,0,0,0]'],
    ['bytes', { maxBytes: 5 }, '"abc"', '"abcd"'],
    ['depth, with brackets in a string', { maxDepth: 1 }, '["[[\\"[["]', '["[[",[]]'],
  ])('goes to the bound of %s and no further', (_, bounds, within, beyond) => {
    expect(read(within, bounds)).toMatchObject({ kind: 'json', value: JSON.parse(within) });
    expect(read(beyond, bounds)).toEqual({ kind: 'too-large' });
  });

  it('agrees with the parser on all that is small', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(read(text)).toEqual({ kind: 'json', value: JSON.parse(text), text });
      }),
      { seed: 61_007, numRuns: 300 },
    );
  });
});
