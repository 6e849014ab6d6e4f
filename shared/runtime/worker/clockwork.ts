import type { Schedule } from '#events/schedule.ts';
import type { Outages } from './outage.ts';
import { pause } from './pause.ts';

export type Clockwork = {
  /** Now, and not when its pause is over. */
  look(): void;
  stop(): Promise<void>;
};

export type Winding = {
  readonly schedule: Pick<Schedule, 'moveDue'>;
  readonly outages: Outages;
  /** From 0 up to 1: processes that started together must not look together for ever. */
  readonly random: () => number;
  readonly lookAgainMs?: number;
};

/** So many at once: the statement that moves them stays short. */
const maxMoved = 500;
const leastPauseMs = 10;

/** Puts on the queue what is due. Each process may have one, and any number of them moves each wake-up once. */
export function startClockwork({
  schedule,
  outages,
  random,
  lookAgainMs = 1_000,
}: Winding): Clockwork {
  const stopped = new AbortController();
  const { signal } = stopped;
  let waiting = new AbortController();
  const turn = async (): Promise<void> => {
    while (!signal.aborted) {
      waiting = new AbortController();
      const moved = await outages.through(() => schedule.moveDue(maxMoved), signal);
      if (moved === undefined || moved.count >= maxMoved) continue;
      const next = Math.max(Math.min(moved.nextMs ?? lookAgainMs, lookAgainMs), leastPauseMs);
      if (!signal.aborted) await pause(next * (1 + 0.2 * random()), waiting.signal);
    }
  };
  const turning = turn();
  return {
    look: () => waiting.abort(),
    async stop() {
      stopped.abort();
      waiting.abort();
      await turning;
    },
  };
}
