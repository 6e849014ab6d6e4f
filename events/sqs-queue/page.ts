import type { Letter } from './dead-letters.ts';

/** The first ones of many by their ids, copies once; of no more than twice as many anything is kept. */
export function openPage(max: number) {
  let kept = new Map<string, Letter>();
  const first = (): readonly Letter[] => [...kept.values()].toSorted(byId).slice(0, max);
  return {
    first,
    add(letter: Letter): void {
      kept.set(letter.identity, letter);
      if (kept.size > 2 * max) kept = new Map(first().map((each) => [each.identity, each]));
    },
  };
}

export function byId(one: Letter, other: Letter): number {
  const [a, b] = [one.enveloped.id, other.enveloped.id];
  if (a === b) return one.identity < other.identity ? -1 : 1;
  return a < b ? -1 : 1;
}
