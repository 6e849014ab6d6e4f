/** What was got a while ago and still holds; of the oldest, no more than `most` stay. */
export type Remembered<T> = {
  find(key: string): T | undefined;
  keep(key: string, value: T, seconds: number): void;
  drop(key: string): void;
};

const most = 2_000;

export function remembered<T>(now: () => number): Remembered<T> {
  const kept = new Map<string, { readonly value: T; readonly until: number }>();
  return {
    find: (key) => {
      const found = kept.get(key);
      if (found !== undefined && found.until > now()) return found.value;
      kept.delete(key);
      return undefined;
    },
    keep: (key, value, seconds) => {
      kept.delete(key);
      kept.set(key, { value, until: now() + seconds * 1000 });
      const [oldest] = kept.keys();
      if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    },
    drop: (key) => {
      kept.delete(key);
    },
  };
}
