import type { Verdict } from '#shared/domain/image-trust/verdict.ts';
import { type Wish, wishKey } from './subject.ts';

/** One verification that is under way, and all who wait for what it will tell them. */
export type Flight = {
  /** `false`: it has read the repository already. */
  join(wish: Wish): boolean;
  wishes(): readonly Wish[];
  /** Whether its credentials are those that are shown. */
  isBy(wish: Wish): boolean;
  /** Nobody joins any more. */
  close(): void;
  land(verdicts: ReadonlyMap<string, Verdict>): void;
  fail(cause: unknown): void;
  verdictFor(wish: Wish): Promise<Verdict>;
};

export function openFlight(first: Wish): Flight {
  const wishes = new Map([[wishKey(first), first]]);
  const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, Verdict>>();
  // Whoever waits is told; where nobody waits any more, that is no failure of the process.
  promise.catch(() => undefined);
  let isOpen = true;
  return {
    join(wish) {
      const known = wishes.get(wishKey(wish));
      if (known === undefined && !isOpen) return false;
      if (known === undefined) wishes.set(wishKey(wish), wish);
      return known === undefined || known.isWhole || !wish.isWhole;
    },
    wishes: () => [...wishes.values()],
    isBy: (wish) => wishes.get(wishKey(wish))?.account === wish.account,
    close: () => {
      isOpen = false;
    },
    land: resolve,
    fail: reject,
    verdictFor: async (wish) => {
      const verdict = (await promise).get(wishKey(wish));
      if (verdict === undefined) throw new Error('a verification has left out an image');
      return verdict;
    },
  };
}
