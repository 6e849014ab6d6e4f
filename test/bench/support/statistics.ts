import type { Spread } from './bench.ts';

/** The nearest-rank percentile of values that are sorted already; exact, no buckets. */
export function percentile(sorted: ArrayLike<number>, percent: number): number {
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

/** Round by round: both sides of a pair ran within seconds of each other, on the machine as it was then. */
export function ratios(subject: readonly number[], yardstick: readonly number[]): number[] {
  return subject.map((value, round) => value / (yardstick[round] ?? Number.NaN));
}
