import { describe, expect, it } from 'vitest';
import {
  type Fairness,
  fairnessAfter,
  type Share,
  sharesOf,
  unknown,
} from '#events/postgres-queue/shares.ts';

const functions = ['a', 'b', 'c', 'd'];
const pairs = (shares: readonly Share[]) =>
  shares.map(({ function: name, quota }) => [name, quota]);
const fairness = (served: readonly string[], busy: readonly string[]): Fairness => ({
  served,
  busy: new Set(busy),
});

/** What a claim gets from these backlogs. */
function claimFrom(
  backlogs: Readonly<Record<string, number>>,
  shares: readonly Share[],
  max: number,
) {
  const all = shares.flatMap(({ function: name, quota }) =>
    Array.from({ length: Math.min(quota, backlogs[name] ?? 0) }, () => ({ function: name })),
  );
  return all.slice(0, max);
}

describe('sharesOf', () => {
  it('lets those go first that were never served, and then who was served longest ago', () => {
    const shares = sharesOf({ functions, max: 10 }, fairness(['c', 'a'], []));
    expect(shares.map((share) => share.function)).toEqual(['b', 'd', 'c', 'a']);
  });

  it('shares evenly among those who have much', () => {
    const shares = sharesOf({ functions, max: 10 }, fairness(['a', 'b'], ['a', 'b']));
    expect(pairs(shares)).toEqual([
      ['c', 10],
      ['d', 10],
      ['a', 5],
      ['b', 5],
    ]);
  });

  it('gives everybody at least one', () => {
    const shares = sharesOf({ functions, max: 1 }, fairness([], functions));
    expect(shares.map(({ quota }) => quota)).toEqual([1, 1, 1, 1]);
  });

  it('names nobody twice, and nobody who is not asked for', () => {
    const shares = sharesOf({ functions: ['a', 'a'], max: 1 }, fairness(['z'], []));
    expect(shares.map((share) => share.function)).toEqual(['a']);
  });
});

describe('fairnessAfter', () => {
  const backlogs = { a: 1_000, b: 1_000, c: 1_000, d: 3 };

  it.each([1, 2, 3, 10])('serves everybody within four claims of %i', (max) => {
    let known = unknown;
    for (let round = 0; round < 20; round += 1) {
      const served = new Set<string>();
      for (const _ of functions) {
        const shares = sharesOf({ functions, max }, known);
        const claimed = claimFrom(backlogs, shares, max);
        for (const each of claimed) served.add(each.function);
        known = fairnessAfter(known, { shares, claimed, max });
      }
      expect([...served].toSorted()).toEqual(functions);
    }
  });

  it('lets one that has nothing more have all again', () => {
    const before = fairness(['a', 'b'], ['a', 'b']);
    const shares = sharesOf({ functions: ['a', 'b'], max: 10 }, before);
    const claimed = claimFrom({ a: 1_000, b: 0 }, shares, 10);
    const after = fairnessAfter(before, { shares, claimed, max: 10 });
    expect(pairs(sharesOf({ functions: ['a', 'b'], max: 10 }, after))).toEqual([
      ['b', 10],
      ['a', 10],
    ]);
  });
});
