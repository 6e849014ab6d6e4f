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

/** Any other number of seconds would end all that is scheduled, or turn without a pause. */
export function isPeriodic({ everySeconds }: Pick<Period, 'everySeconds'>): boolean {
  return Number.isInteger(everySeconds) && everySeconds > 0 && everySeconds < 2 ** 31;
}

export type Schedule = {
  /** Of two for the same function, group and reason, the earlier one counts; attempts never go back. */
  add(wakeups: readonly Wakeup[]): Promise<void>;
  /** The periods that there are from now on: new ones are due at once, those not named end, and so do those without seconds. */
  setPeriods(periods: readonly Period[]): Promise<void>;
  /** Drops what waits here for a function, but for its periods: those end with their definition. Says how many. */
  drop(functionName: string): Promise<number>;
  /** What waits here for a function is due now, but for its periods. Says how many had longer to wait. */
  hasten(functionName: string): Promise<number>;
  /** What waits here, periods excepted: those are a definition's, and always there. Only functions for which something does. */
  depth(): Promise<readonly ScheduledDepth[]>;
  /** The next ones of a function, periods excepted, in the order in which they are due. */
  peek(functionName: string, max: number): Promise<readonly Scheduled[]>;
  /** Puts what is due on the queue, a period's next time with it: one statement, which anybody may run. */
  moveDue(max: number): Promise<Moved>;
};

export type ScheduledDepth = {
  readonly function: string;
  readonly scheduled: number;
  /** Until the first of them is due; 0 where it is. */
  readonly nextMs: number;
};

export type Scheduled = Pick<Outgoing, 'function' | 'group' | 'type' | 'eventId'> & {
  readonly reason: Wakeup['reason'];
  /** How often it was tried. */
  readonly attempt: number;
  /** Until it is due; 0 where it is. */
  readonly dueMs: number;
};

export type Moved = {
  readonly count: number;
  /** Until the next one is due; `undefined` where none is known. */
  readonly nextMs: number | undefined;
};

/** In milliseconds, between the runs of a `retry`; it never gives up. */
export const retryBackoff = Object.freeze({ first: 1_000, longest: 300_000 });
