import type { Schedule } from '#events/schedule.ts';
import type { Outages } from './outage.ts';
import { pause } from './pause.ts';

export type Clockwork = { stop(): Promise<void> };

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
  const turn = async (): Promise<void> => {
    while (!signal.aborted) {
      const moved = await outages.through(() => schedule.moveDue(maxMoved), signal);
      if (moved === undefined || moved.count >= maxMoved) continue;
      const next = Math.max(Math.min(moved.nextMs ?? lookAgainMs, lookAgainMs), leastPauseMs);
      await pause(next * (1 + 0.2 * random()), signal);
    }
  };
  const turning = turn();
  return {
    async stop() {
      stopped.abort();
      await turning;
    },
  };
}
