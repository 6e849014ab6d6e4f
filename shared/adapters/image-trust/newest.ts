/** In memory; of those that were not asked for longest, no more than `most` stay. */
export type Newest<T> = {
  find(key: string): T | undefined;
  keep(key: string, value: T): void;
  drop(isOne: (key: string) => boolean): void;
};

export function newest<T>(most: number): Newest<T> {
  const kept = new Map<string, T>();
  return {
    find: (key) => kept.get(key),
    keep: (key, value) => {
      kept.delete(key);
      kept.set(key, value);
      const [oldest] = kept.size > most ? kept.keys() : [];
      if (oldest !== undefined) kept.delete(oldest);
    },
    drop: (isOne) => {
      for (const key of [...kept.keys()].filter(isOne)) kept.delete(key);
    },
  };
}
