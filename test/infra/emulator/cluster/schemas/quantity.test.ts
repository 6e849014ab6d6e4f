import { describe, expect, it } from 'vitest';
import {
  canonical,
  compareQuantities,
  parseQuantity,
} from '#infra/emulator/cluster/schemas/decoding/quantity.ts';

describe('a quantity', () => {
  it.each([
    ['1.0', '1'],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['12e6', '12e6'],
    ['1e-3', '1e-3'],
    ['1024Mi', '1Gi'],
    ['1000Mi', '1000Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['0.9765625Ki', '1k'],
    ['1025Ki', '1025Ki'],
    ['1000000Ki', '1000000Ki'],
    ['100000k', '100M'],
    ['1000', '1k'],
    ['1234567', '1234567'],
    ['1500m', '1500m'],
    ['1.5E', '1500P'],
    ['5E', '5E'],
    ['100n', '100n'],
    ['-5', '-5'],
    ['0', '0'],
    ['0Gi', '0'],
    [' 5', '5'],
  ])('%s is written as %s', (text, written) => {
    const parsed = parseQuantity(text);
    expect(parsed === undefined ? undefined : canonical(parsed)).toBe(written);
  });

  it.each(['', 'x', '1Xi', '1.2.3', 'Gi', '1 Gi'])('is not %j', (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });

  it('is compared by its value, not by its unit', () => {
    const [one, two] = [parseQuantity('1Gi'), parseQuantity('1000M')];
    if (one === undefined || two === undefined) throw new Error('both are quantities');
    expect([
      compareQuantities(one, two),
      compareQuantities(two, one),
      compareQuantities(one, one),
    ]).toEqual([1, -1, 0]);
  });
});
