/** What was got a while ago and still holds; of the oldest, no more than `most` stay. */
export type Remembered<T> = {
  find(key: string): T | undefined;
  keep(key: string, value: T, seconds: number): void;
  drop(key: string): void;
};

const most = 2_000;

export function remembered<T>(now: () => number): Remembered<T> {
  const kept = new Map<string, Kept<T>>();
  return {
    find: (key) => {
      const found = kept.get(key);
      if (found !== undefined && isIn(found, now())) return found.value;
      kept.delete(key);
      return undefined;
    },
    keep: (key, value, seconds) => {
      const from = now();
      kept.delete(key);
      kept.set(key, { value, from, until: from + seconds * 1000 });
      const [oldest] = kept.keys();
      if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    },
    drop: (key) => {
      kept.delete(key);
    },
  };
}

type Kept<T> = { readonly value: T; readonly from: number; readonly until: number };

/** Of a clock that was put back since it would hold for as long as that, too: a registry would be busy for an hour. */
function isIn({ from, until }: Omit<Kept<unknown>, 'value'>, now: number): boolean {
  return from <= now && now < until;
}
