import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '#shared/domain/image-trust/tuf/canonical-json.ts';
import type { Json } from '#shared/domain/json.ts';

/** What has a canonical form: no fractions, nothing that is no text. */
const document = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Json>(null, true, false),
    fc.maxSafeInteger(),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value')),
    fc.dictionary(fc.string({ unit: 'binary' }), tie('value')),
  ),
})).value;

describe('canonicalJson', () => {
  it.each<[string, Json, string]>([
    ['sorts keys at every depth', { b: { d: 1, c: 2 }, a: [] }, '{"a":[],"b":{"c":2,"d":1}}'],
    ['escapes quotes and backslashes and nothing else', 'a"\\\n<é', '"a\\"\\\\\n<é"'],
    ['writes whole numbers in full', [1e3, -7, 0], '[1000,-7,0]'],
    ['knows no negative zero', -0, '0'],
    ['sorts as UTF-8 sorts', { '😀': 1, '～': 2 }, '{"～":2,"😀":1}'],
    ['sorts what begins alike by length', { ab: 1, a: 2 }, '{"a":2,"ab":1}'],
  ])('%s', (_, value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  it.each<[string, Json]>([
    ['a fraction', { a: [1.5] }],
    ['more than 2^53', 2 ** 53],
    ['infinity', Number.POSITIVE_INFINITY],
    ['half a surrogate pair', ['\ud83d']],
    ['half a surrogate pair as a key', { '\udc00': 1 }],
  ])('has no form for %s', (_, value) => {
    expect(canonicalJson(value)).toBeUndefined();
  });

  it('is one form for one content, whatever the order and the spaces it came with', () => {
    fc.assert(
      fc.property(document, (value) => {
        const shuffled = JSON.parse(JSON.stringify(reversed(value), null, 3));
        expect(canonicalJson(shuffled)).toBe(canonicalJson(value));
      }),
      { seed: 61_001, numRuns: 300 },
    );
  });

  it('gives different contents different forms, and loses nothing', () => {
    fc.assert(
      fc.property(document, (value) => {
        const form = canonicalJson(value) ?? '';
        // Control characters stand raw in it, which is all that keeps it from being JSON.
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is meant
        const json = form.replace(/[\u0000-\u001f]/g, (raw) => JSON.stringify(raw).slice(1, -1));
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { seed: 61_002, numRuns: 300 },
    );
  });

  it('sorts keys as their bytes are sorted', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary' })), (keys) => {
        const form = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
        const sorted = keys.toSorted((one, other) =>
          Buffer.compare(Buffer.from(one), Buffer.from(other)),
        );
        const expected = sorted.map((key) => `${canonicalJson(key)}:0`).join(',');
        expect(form).toBe(`{${expected}}`);
      }),
      { seed: 61_003, numRuns: 300 },
    );
  });
});

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, each]) => [key, reversed(each)]));
}
