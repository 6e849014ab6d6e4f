import type { Outgoing } from './queue.ts';

/** Why a function is woken by time. */
export type Reason = 'later' | 'retry' | 'period';

/** A message that goes on the queue when its time has come; one for each function, group and reason. */
export type Wakeup = {
  readonly message: Outgoing;
  readonly reason: Exclude<Reason, 'period'>;
  readonly afterMs: number;
};

/** A function that is woken again and again. */
export type Period = {
  readonly message: Outgoing;
  readonly everySeconds: number;
};

export type Schedule = {
  /** Of two for the same function, group and reason, the earlier one counts; attempts never go back. */
  add(wakeups: readonly Wakeup[]): Promise<void>;
  /** The periods that there are from now on: new ones are due at once, those not named end. */
  setPeriods(periods: readonly Period[]): Promise<void>;
  /** Drops what waits here for a function, but for its periods: those end with their definition. Says how many. */
  drop(functionName: string): Promise<number>;
  /** Puts what is due on the queue, a period's next time with it: one statement, which anybody may run. */
  moveDue(max: number): Promise<Moved>;
};

export type Moved = {
  readonly count: number;
  /** Until the next one is due; `undefined` where none is known. */
  readonly nextMs: number | undefined;
};

const longestBackoffMs = 300_000;

/** Exponential with jitter up to five minutes; it never gives up. `random` from 0 up to 1. */
export function backoffMs(attempt: number, random: number): number {
  return Math.min(1_000 * 2 ** Math.min(attempt, 20), longestBackoffMs) * (0.5 + 0.5 * random);
}
