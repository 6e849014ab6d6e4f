/** What is being worked on, and how much more may be. */
export type Hands = {
  full(): number;
  free(): number;
  oneFree(): Promise<unknown>;
  allFree(): Promise<unknown>;
  /** `work` never rejects. */
  take(work: Promise<void>): void;
};

export function openHands(count: number): Hands {
  const full = new Set<Promise<unknown>>();
  return {
    full: () => full.size,
    free: () => count - full.size,
    oneFree: async () => (full.size < count ? undefined : Promise.race(full)),
    allFree: () => Promise.all(full),
    take(work) {
      const done = work.finally(() => full.delete(done));
      full.add(done);
    },
  };
}
