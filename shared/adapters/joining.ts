/** Whoever asks what is being asked already is told what the first one is told. */
export type Joining<T> = {
  /**
   * What is told may have been true before one asked, but not when: of what is not enough one asks anew. Else a
   * validation could miss what the mutation right before it has kept.
   */
  ask(key: string, work: () => Promise<T>, isEnough?: (told: T) => boolean): Promise<T>;
  /** What is under way was asked before something changed: whoever comes now asks anew. */
  part(): void;
};

export function joining<T>(): Joining<T> {
  const underway = new Map<string, Promise<T>>();
  const begin = (key: string, work: () => Promise<T>) => {
    const asked = work().finally(() => {
      if (underway.get(key) === asked) underway.delete(key);
    });
    underway.set(key, asked);
    return asked;
  };
  return {
    async ask(key, work, isEnough = () => true) {
      const known = underway.get(key);
      if (known === undefined) return begin(key, work);
      const told = await known;
      // Whatever is under way now has begun since.
      return isEnough(told) ? told : (underway.get(key) ?? begin(key, work));
    },
    part: () => underway.clear(),
  };
}
