import { describe, expect, it } from 'vitest';
import { median, percentile, ratios, spreadOf } from '#test/bench/support/statistics.ts';

describe('statistics of a bench', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);

  it.each([
    [50, 50],
    [99, 99],
    [99.9, 100],
    [100, 100],
    [0.1, 1],
  ])('takes the %d th percentile by nearest rank', (percent, expected) => {
    expect(percentile(hundred, percent)).toBe(expected);
  });

  it('takes the middle of an odd count, and between the two of an even one', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 7])).toBe(6);
  });

  it('says how far rounds lay apart', () => {
    expect(spreadOf([3, 1, 2])).toEqual({ median: 2, low: 1, high: 3 });
  });

  it('compares round by round, so that a slow minute slows both', () => {
    expect(ratios([90, 45], [100, 50])).toEqual([0.9, 0.9]);
  });
});
