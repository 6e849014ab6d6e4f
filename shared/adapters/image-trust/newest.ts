/** In memory; of those that were not asked for longest, no more than `most` stay. */
export type Newest<T> = {
  find(key: string): T | undefined;
  keep(key: string, value: T): void;
  drop(isOne: (key: string) => boolean): void;
};

/** `most`: all of them together weigh no more; where nothing is said, each weighs one. */
export function newest<T>(most: number, weightOf: (value: T) => number = () => 1): Newest<T> {
  const kept = new Map<string, T>();
  let weight = 0;
  const drop = (key: string) => {
    const value = kept.get(key);
    if (value !== undefined) weight -= weightOf(value);
    kept.delete(key);
  };
  return {
    find: (key) => {
      const value = kept.get(key);
      if (value === undefined) return undefined;
      kept.delete(key);
      kept.set(key, value);
      return value;
    },
    keep: (key, value) => {
      drop(key);
      kept.set(key, value);
      weight += weightOf(value);
      for (const oldest of kept.keys()) {
        if (weight <= most) return;
        drop(oldest);
      }
    },
    drop: (isOne) => {
      for (const key of [...kept.keys()].filter(isOne)) drop(key);
    },
  };
}

/** In digests, of about 100 bytes: whoever pushes lists of a thousand, or signs them, must not fill the memory of all. */
export function weightWith(children: readonly string[] = []): number {
  return 20 + children.length;
}
