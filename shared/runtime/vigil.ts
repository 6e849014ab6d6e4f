/** Over what never ends, and must not stand still unseen: whatever it waits for has an end of its own, long before ours. */
export type Vigil = {
  /** The loop lives; it may say nothing for as long as it pauses, and for our patience. */
  sign(loop: string, pauseMs?: number): void;
  /** It is over. */
  leave(loop: string): void;
  /** One step of a loop, which has to come back. */
  during<T>(loop: string, step: () => Promise<T>): Promise<T>;
  /** Nothing was heard of these for longer than anything may take. */
  still(): readonly string[];
  close(): void;
};

export type Patience = { readonly patienceMs: number; readonly tickMs: number };

/** A database that says nothing is given up after 40 s, a watch after two minutes. */
const usual: Patience = { patienceMs: 300_000, tickMs: 5_000 };

type Watched = { readonly loop: string; leftMs: number };

/** By its own ticks, and not by a clock: a process that slept, or was starved, has not stood still meanwhile. */
export function openVigil(
  tell: (still: readonly string[]) => void,
  { patienceMs, tickMs }: Patience = usual,
): Vigil {
  const watched = new Map<unknown, Watched>();
  let told: readonly string[] = [];
  const still = () => [
    ...new Set([...watched.values()].flatMap(({ loop, leftMs }) => (leftMs > 0 ? [] : [loop]))),
  ];
  const tick = (): void => {
    for (const each of watched.values()) each.leftMs -= tickMs;
    const now = still();
    if (now.join() !== told.join()) tell(now);
    told = now;
  };
  const ticking = setInterval(tick, tickMs).unref();
  return {
    sign(loop, pauseMs = 0) {
      watched.set(loop, { loop, leftMs: patienceMs + pauseMs });
    },
    leave: (loop) => void watched.delete(loop),
    async during(loop, step) {
      const key = Symbol(loop);
      watched.set(key, { loop, leftMs: patienceMs });
      try {
        return await step();
      } finally {
        watched.delete(key);
      }
    },
    still,
    close: () => clearInterval(ticking),
  };
}
