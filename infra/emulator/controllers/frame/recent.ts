/** What was asked for last of all that there was; the rest begins anew. */
export function openRecent<T>(most: number): {
  at(key: string, begin: () => T): T;
  forget(key: string, value: T): void;
} {
  const kept = new Map<string, T>();
  return {
    at(key, begin) {
      const value = kept.get(key) ?? begin();
      kept.delete(key);
      kept.set(key, value);
      const [oldest] = kept.size > most ? kept.keys() : [];
      if (oldest !== undefined) kept.delete(oldest);
      return value;
    },
    forget(key, value) {
      if (kept.get(key) === value) kept.delete(key);
    },
  };
}
