import type { Verdict } from '#shared/domain/image-trust/verdict.ts';
import type { Before } from '#shared/domain/image-trust/verdict-store.ts';
import { type Wish, wishKey } from './subject.ts';

/** What a verification tells, by the image. */
export type Verdicts = ReadonlyMap<string, Verdict>;

/** One verification that is under way, and all who wait for what it will tell them. */
export type Flight = {
  /**
   * `known`: what whoever comes now knows of it. `false`: it has read the repository already, or may have before what is
   * known was found out.
   */
  join(wish: Wish, known: Verdict | undefined): boolean;
  wishes(): readonly Wish[];
  /** What is known of them all is looked up for the last time: it is read from here on. */
  look(): readonly Wish[];
  /** Who came since: nothing that was taken back was known of them. */
  joined(): readonly Before[];
  /** Whether its credentials are those that are shown. */
  isBy(wish: Wish): boolean;
  /** Nobody joins any more. */
  close(): void;
  land(verdicts: Verdicts): void;
  fail(cause: unknown): void;
  verdictFor(wish: Wish): Promise<Verdict>;
};

export function openFlight(first: Wish): Flight {
  const wishes = new Map([[wishKey(first), first]]);
  const { promise, resolve, reject } = Promise.withResolvers<Verdicts>();
  // Whoever waits is told; where nobody waits any more, that is no failure of the process.
  promise.catch(() => undefined);
  let isOpen = true;
  let hasLooked = false;
  let joined: readonly Before[] = [];
  return {
    join(wish, known) {
      const there = wishes.get(wishKey(wish));
      if (there !== undefined) return there.isWhole || !wish.isWhole;
      const isTakenBack = hasLooked && known?.judgement.kind === 'untrusted';
      if (!isOpen || isTakenBack) return false;
      wishes.set(wishKey(wish), wish);
      joined = [...joined, { tag: wish.tag, digest: wish.digest, validUntil: undefined }];
      return true;
    },
    wishes: () => [...wishes.values()],
    look() {
      hasLooked = true;
      joined = [];
      return [...wishes.values()];
    },
    joined: () => joined,
    isBy: (wish) => wishes.get(wishKey(wish))?.account.key === wish.account.key,
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
