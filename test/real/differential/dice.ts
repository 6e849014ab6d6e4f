/** Random choices that are the same for everybody who names the same seed. */
export type Dice = {
  /** Below 1. */
  next(): number;
  below(count: number): number;
  one<Item>(list: readonly Item[]): Item;
  chance(of: number): boolean;
  /** One of several, each as likely as its weight. */
  weighed<Item>(list: readonly (readonly [number, Item])[]): Item;
};

export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    const once = Math.imul(state ^ (state >>> 15), state | 1);
    const twice = once ^ (once + Math.imul(once ^ (once >>> 7), once | 61));
    return ((twice ^ (twice >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number) => Math.floor(next() * count);
  const one = <Item>(list: readonly Item[]) => list[below(list.length)] as Item;
  return {
    ...{ next, below, one },
    chance: (of) => next() < of,
    weighed(list) {
      const total = list.reduce((sum, [weight]) => sum + weight, 0);
      let left = next() * total;
      for (const [weight, item] of list) {
        left -= weight;
        if (left < 0) return item;
      }
      return one(list)[1];
    },
  };
}
