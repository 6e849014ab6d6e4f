import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import {
  anyObject,
  anything,
  choice,
  type Decoder,
  decode,
  dictionary,
  dictionaryUpTo,
  flag,
  integer,
  integerFrom,
  list,
  listUpTo,
  maybe,
  number,
  optional,
  record,
  refine,
  text,
} from '#shared/domain/decode.ts';
import { newPod } from '#shared/domain/node-affinity/pod.ts';

/** What zod alone would say: the second of the two readings. */
function byZod(decoder: Decoder<unknown>, input: unknown): unknown {
  const result = z.safeParse(decoder, input);
  return result.success ? { value: result.data } : 'refused';
}

function byUs(decoder: Decoder<unknown>, input: unknown): unknown {
  const result = decode(decoder, input);
  return result.ok ? { value: result.value } : 'refused';
}

const keys = ['a', 'b', 'constructor', 'toString', '__proto__'];
const isShort = (value: unknown) => String(JSON.stringify(value ?? null)).length < 12;

type Made = { decoder: Decoder<unknown>; shape: object };

const { decoder: anyDecoder } = fc.letrec<{ decoder: Decoder<unknown>; shape: Made['shape'] }>(
  (tie) => ({
    shape: fc.dictionary(fc.constantFrom(...keys), tie('decoder'), { maxKeys: 4 }),
    decoder: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<Decoder<unknown>>(text, number, integer, flag, anything, anyObject),
      fc.constantFrom<Decoder<unknown>>(choice('a', 'b'), integerFrom(0, 5)),
      tie('decoder').map((inner) => list(inner)),
      tie('decoder').map((inner) => listUpTo(2, inner)),
      tie('decoder').map((inner) => dictionary(inner)),
      tie('decoder').map((inner) => maybe(inner)),
      tie('decoder').map((inner) => optional(inner)),
      fc.tuple(tie('decoder'), fc.constantFrom(0, '', null, [])).map(([inner, fallback]) => {
        return optional(inner, fallback);
      }),
      tie('decoder').map((inner) => refine(inner, isShort, 'something short')),
      tie('shape').map((shape) => record(shape as Record<string, Decoder<unknown>>)),
    ),
  }),
);

const leaf = fc.constantFrom(
  null,
  undefined,
  true,
  0,
  1.5,
  9,
  Number.POSITIVE_INFINITY,
  '',
  'a',
  'b',
  'text',
);
const { json: anyInput } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys), tie('json'), { maxKeys: 4 }),
  ),
}));

describe('decode', () => {
  it('agrees with zod on any decoder and any input, down to which keys are there', () => {
    let good = 0;
    fc.assert(
      fc.property(anyDecoder, anyInput, (decoder, input) => {
        const expected = byZod(decoder, input);
        good += expected === 'refused' ? 0 : 1;
        return isDeepStrictEqual(byUs(decoder, input), expected);
      }),
      { numRuns: 5_000 },
    );
    expect(good).toBeGreaterThan(500);
  });

  it('leaves what it read as it was', () => {
    const pod = { spec: { nodeSelector: { a: 'b' }, containers: [{ name: 'c' }] } };
    const before = structuredClone(pod);

    decode(newPod, pod);
    expect(pod).toStrictEqual(before);
  });

  it('says what is wrong where a value is refused', () => {
    const decoder = record({ pods: list(record({ name: text, ready: optional(flag) })) });

    expect(decode(decoder, { pods: [{ name: 'a' }, { name: 3, ready: 'no' }] })).toEqual({
      ok: false,
      problems: [
        { path: '$.pods[1].name', expected: 'text', found: '3' },
        { path: '$.pods[1].ready', expected: 'true or false', found: '"no"' },
      ],
    });
  });

  it('shows in quotes what YAML would take for a number', () => {
    expect(decode(record({ minTls: choice('1.2', '1.3') }), { minTls: 1.3 })).toEqual({
      ok: false,
      problems: [{ path: '$.minTls', expected: 'one of "1.2", "1.3"', found: '1.3' }],
    });
  });

  it('looks at nothing in an object that has too many keys', () => {
    const decoder = record({ keys: dictionaryUpTo(2, text) });
    expect(decode(decoder, { keys: { a: 'b', c: 'd' } })).toMatchObject({
      value: { keys: { a: 'b', c: 'd' } },
    });
    expect(decode(decoder, { keys: { a: 1, b: 2, c: 3 } })).toMatchObject({
      problems: [{ path: '$.keys', expected: 'an object of at most 2 keys' }],
    });
    expect(decode(decoder, { keys: [] })).toMatchObject({ ok: false });
    expect(decode(decoder, { keys: { a: 1 } })).toMatchObject({ problems: [{ path: '$.keys.a' }] });
  });

  it('looks at nothing in a list that is too long', () => {
    const decoder = record({ layers: listUpTo(2, text) });
    expect(decode(decoder, { layers: ['a', 'b'] })).toMatchObject({ ok: true });
    for (const layers of [['a', 'b', 'c'], Array(1_000_000).fill(1)]) {
      expect(decode(decoder, { layers })).toMatchObject({
        problems: [{ path: '$.layers', expected: 'a list of at most 2' }],
      });
    }
    expect(decode(decoder, { layers: {} })).toMatchObject({ ok: false });
  });
});
