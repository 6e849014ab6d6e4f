export type Backoff = { readonly first: number; readonly longest: number };

/** Twice as long after each time in a row. `random`, from 0 up to 1: who failed together shall not come back together. */
export function backoff(times: number, { first, longest }: Backoff, random: number): number {
  return Math.min(first * 2 ** times, longest) * (0.5 + 0.5 * random);
}
