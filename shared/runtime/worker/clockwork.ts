import type { Schedule } from '#events/schedule.ts';
import { pause } from '../pause.ts';
import type { Outages } from './outage.ts';

export type Clockwork = {
  /** How much was due when it looked for the first time; nothing where it is stopped before. */
  readonly dueAtFirst: Promise<number>;
  /** Now, and not when its pause is over. */
  look(): void;
  stop(): Promise<void>;
};

export type Winding = {
  readonly schedule: Pick<Schedule, 'moveDue'>;
  readonly outages: Outages;
} & Pausing;

export type Pausing = {
  /** From 0 up to 1: processes that started together must not look together for ever. */
  readonly random: () => number;
  readonly lookAgainMs?: number;
};

/** So many at once: the statement that moves them stays short. */
const maxMoved = 500;
const leastPauseMs = 10;

type Moved = Awaited<ReturnType<Schedule['moveDue']>>;

function countOf(moved: Moved | undefined): number {
  return moved?.count ?? 0;
}

/** Others may put on the schedule what is due sooner than all that there is now. */
export function untilNextMoveMs(
  { nextMs }: Pick<Moved, 'nextMs'>,
  { random, lookAgainMs = 1_000 }: Pausing,
): number {
  const next = Math.max(Math.min(nextMs ?? lookAgainMs, lookAgainMs), leastPauseMs);
  return next * (1 + 0.2 * random());
}

/** Puts on the queue what is due. Each process may have one, and any number of them moves each wake-up once. */
export function startClockwork(winding: Winding): Clockwork {
  const { schedule, outages } = winding;
  const stopped = new AbortController();
  const { signal } = stopped;
  let waiting = new AbortController();
  const { promise: dueAtFirst, resolve: looked } = Promise.withResolvers<number>();
  const turn = async (): Promise<void> => {
    while (!signal.aborted) {
      waiting = new AbortController();
      const moved = await outages.through(() => schedule.moveDue(maxMoved), signal);
      looked(countOf(moved));
      if (moved === undefined || moved.count >= maxMoved) continue;
      if (!signal.aborted) await pause(untilNextMoveMs(moved, winding), waiting.signal);
    }
  };
  const turning = turn();
  return {
    dueAtFirst,
    look: () => waiting.abort(),
    async stop() {
      stopped.abort();
      waiting.abort();
      await turning;
      looked(0);
    },
  };
}
