/** What is being worked on, and how much more may be. */
export type Hands = {
  /** What runs, and what has run and is coming to its end. */
  full(): number;
  free(): number;
  oneFree(): Promise<void>;
  allFree(): Promise<unknown>;
  /** `work` never rejects. Once it says that it has run, the next may run beside its end. */
  take(work: (hasRun: () => void) => Promise<void>): void;
};

/** As many may be coming to their end as may run: where no end is reached, nothing more is taken. */
export function openHands(count: number): Hands {
  const running = new Set<Promise<unknown>>();
  const full = new Set<Promise<unknown>>();
  const free = () => Math.min(count - running.size, 2 * count - full.size);
  return {
    free,
    full: () => full.size,
    async oneFree() {
      while (free() === 0) await Promise.race(running.size < count ? full : running);
    },
    allFree: () => Promise.all(full),
    take(work) {
      const { promise: ran, resolve } = Promise.withResolvers<void>();
      const hasRun = () => {
        running.delete(ran);
        resolve();
      };
      running.add(ran);
      const ended = work(hasRun).finally(() => {
        full.delete(ended);
        hasRun();
      });
      full.add(ended);
    },
  };
}
