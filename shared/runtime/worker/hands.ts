/** What is being worked on, and how much more may be. */
export type Hands = {
  /** What waits for a hand, what runs, and what has run and is coming to its end. */
  full(): number;
  free(): number;
  oneFree(): Promise<void>;
  allFree(): Promise<unknown>;
  /** `work` never rejects. */
  take(work: (turn: Turn) => Promise<void>): void;
  /** Nothing begins any more. */
  stop(): void;
};

/** Of one that was taken. */
export type Turn = {
  /** `false`: it must not run any more. */
  comes(stopped: AbortSignal): Promise<boolean>;
  /** The next may run beside its end. */
  isOver(): void;
};

/** So long what is taken ahead may wait, as runs have been of late: where they are long, it is left to others. */
const aheadMs = 20;

/** In hand are twice as many as may run: some wait for that, and where no end is reached, nothing more is taken. */
export function openHands(count: number, now: () => number = () => performance.now()): Hands {
  const runs = openRuns(count, now);
  const [taken, full] = [new Set<Promise<unknown>>(), new Set<Promise<unknown>>()];
  const most = () => count + runs.ahead();
  const free = () => Math.min(most() - taken.size, 2 * count - full.size);
  return {
    free,
    stop: runs.stop,
    full: () => full.size,
    async oneFree() {
      while (free() <= 0) await Promise.race(taken.size < most() ? full : taken);
    },
    allFree: () => Promise.all(full),
    take(work) {
      const { promise: hasRun, resolve } = Promise.withResolvers<void>();
      const turn = runs.open();
      const isOver = () => {
        turn.isOver();
        taken.delete(hasRun);
        resolve();
      };
      taken.add(hasRun);
      const ended = work({ comes: turn.comes, isOver }).finally(() => {
        full.delete(ended);
        isOver();
      });
      full.add(ended);
    },
  };
}

/** Who runs, and who waits for that: whoever ends hands over to the first of them. */
function openRuns(count: number, now: () => number) {
  const waiting = new Set<(isTurn: boolean) => void>();
  let [running, meanMs, isStopped] = [0, Number.POSITIVE_INFINITY, false];

  const end = (ms: number): void => {
    meanMs = Number.isFinite(meanMs) ? 0.9 * meanMs + 0.1 * ms : ms;
    const [next] = waiting;
    if (next === undefined) running -= 1;
    else next(true);
  };
  const begins = (stopped: AbortSignal): Promise<boolean> | boolean => {
    if (isStopped || stopped.aborted) return false;
    if (running >= count) return handedOver(waiting, stopped);
    running += 1;
    return true;
  };
  return {
    ahead: () => Math.min(count, Math.floor((count * aheadMs) / Math.max(meanMs, 1))),
    stop() {
      isStopped = true;
      for (const come of waiting) come(false);
    },
    open(): Turn {
      let began: number | undefined;
      return {
        async comes(stopped) {
          const isTurn = await begins(stopped);
          if (isTurn) began = now();
          return isTurn;
        },
        isOver() {
          if (began !== undefined) end(now() - began);
          began = undefined;
        },
      };
    },
  };
}

function handedOver(
  waiting: Set<(isTurn: boolean) => void>,
  stopped: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    const come = (isTurn: boolean) => {
      waiting.delete(come);
      stopped.removeEventListener('abort', cut);
      resolve(isTurn);
    };
    const cut = () => come(false);
    waiting.add(come);
    stopped.addEventListener('abort', cut);
  });
}
