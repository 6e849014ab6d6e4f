/** In memory; of those that were not asked for longest, no more than `most` stay. */
export type Newest<T> = {
  find(key: string): T | undefined;
  keep(key: string, value: T): void;
  drop(isOne: (key: string, value: T) => boolean): void;
};

type Kept<T> = { readonly value: T; wasAsked: boolean };

/** Where all were asked for, whoever makes room would else turn over tens of thousands while others wait. */
const mostTurned = 1_000;

/**
 * `most`: all of them together weigh no more; where nothing is said, each weighs one. Being asked for is noted, and who was
 * goes to the end only when room is made: a Map that is reordered by every reader leaves its old tables behind, of which each
 * keeps the next one alive until all that is old is collected.
 */
export function newest<T>(most: number, weightOf: (value: T) => number = () => 1): Newest<T> {
  const kept = new Map<string, Kept<T>>();
  let weight = 0;
  const drop = (key: string) => {
    const one = kept.get(key);
    if (one !== undefined) weight -= weightOf(one.value);
    kept.delete(key);
  };
  const toTheEnd = (key: string, { value }: Kept<T>) => {
    kept.delete(key);
    kept.set(key, { value, wasAsked: false });
  };
  const makeRoom = (needed: number) => {
    let turned = 0;
    for (const [oldest, one] of kept) {
      if (weight + needed <= most) return;
      if (!one.wasAsked || turned === mostTurned) drop(oldest);
      else {
        turned += 1;
        toTheEnd(oldest, one);
      }
    }
  };
  return {
    find: (key) => {
      const one = kept.get(key);
      if (one !== undefined) one.wasAsked = true;
      return one?.value;
    },
    keep: (key, value) => {
      drop(key);
      const needed = weightOf(value);
      if (needed > most) return;
      makeRoom(needed);
      kept.set(key, { value, wasAsked: false });
      weight += needed;
    },
    drop: (isOne) => {
      for (const [key, { value }] of kept) if (isOne(key, value)) drop(key);
    },
  };
}

/** In digests, of about 100 bytes: whoever pushes lists of a thousand, or signs them, must not fill the memory of all. */
export function weightWith(children: readonly string[] = []): number {
  return 20 + children.length;
}
