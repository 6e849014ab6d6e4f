/** Those who wait until somebody else has asked. They hold no connection, and no query runs for them meanwhile. */
export type WaitingRoom = {
  /** To be entered before the look that decides to wait: a call that comes between the two is not missed. */
  enter(key: string): Place;
  /** All who wait for it; all who wait for anything where nothing is named. */
  call(key: string | undefined): void;
};

export type Place = {
  /** Until it is called, or that long: a call may be lost, and who is gone calls nobody. Whether it was called. */
  wait(mostMs: number, signal: AbortSignal): Promise<boolean>;
  leave(): void;
};

export function waitingRoom(): WaitingRoom {
  const places = new Map<string, Set<() => void>>();
  return {
    enter(key) {
      let called = Promise.withResolvers<void>();
      const hear = () => called.resolve();
      const waiting = places.get(key) ?? new Set();
      places.set(key, waiting.add(hear));
      return {
        async wait(mostMs, signal) {
          const isCalled = await isFirst(called.promise, mostMs, signal);
          called = Promise.withResolvers();
          return isCalled;
        },
        leave() {
          waiting.delete(hear);
          if (waiting.size === 0 && places.get(key) === waiting) places.delete(key);
        },
      };
    },
    call(key) {
      const called = key === undefined ? [...places.values()] : [places.get(key) ?? []];
      for (const each of called) for (const hear of each) hear();
    },
  };
}

async function isFirst(
  called: Promise<void>,
  mostMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (signal.aborted) return false;
  return new Promise((resolve) => {
    const end = (isCalled: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      resolve(isCalled);
    };
    const giveUp = () => end(false);
    const timer = setTimeout(giveUp, mostMs);
    signal.addEventListener('abort', giveUp, { once: true });
    void called.then(() => end(true));
  });
}
