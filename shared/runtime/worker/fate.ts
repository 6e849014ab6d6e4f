import type { Outgoing } from '#events/queue.ts';
import { backoffMs, type Wakeup } from '#events/schedule.ts';
import { unsendable } from '#events/sendable.ts';
import type { Ran } from '../reconcile.ts';

/** What becomes of a message after its run. */
export type Fate =
  | { readonly kind: 'settle' }
  /** Goes to the schedule, and is settled when it is there: a crash between makes a duplicate, and loses nothing. */
  | { readonly kind: 'schedule'; readonly wakeup: Wakeup }
  | { readonly kind: 'bury'; readonly why: string };

const leastLaterMs = 1_000;
const mostLaterMs = 30 * 24 * 60 * 60 * 1_000;

export type Tried = {
  /** As it would be sent anew. */
  readonly message: Outgoing;
  /** How often it had failed before this run. */
  readonly attempt: number;
  /** From 0 up to 1. */
  readonly random: number;
};

export function fateOf(ran: Ran, { message, attempt, random }: Tried): Fate {
  switch (ran.kind) {
    case 'done':
      return { kind: 'settle' };
    case 'later':
      return scheduled('later', { ...message, attempt: 0 }, laterMs(ran.afterSeconds));
    // The loop has run it again already; one that still says so comes from elsewhere.
    case 'conflict':
    case 'retry': {
      const next = attempt + 1;
      return scheduled('retry', { ...message, attempt: next }, backoffMs(next, random));
    }
    case 'give-up':
    case 'undecodable':
      return { kind: 'bury', why: ran.why };
  }
}

/** Who wrote a message by hand may have put anything into it: no schedule takes that, however often it is asked. */
function scheduled(reason: Wakeup['reason'], message: Outgoing, afterMs: number): Fate {
  const wrong = unsendable(message);
  if (wrong !== undefined) return { kind: 'bury', why: `it cannot be run again: ${wrong}` };
  return { kind: 'schedule', wakeup: { message, reason, afterMs: Math.ceil(afterMs) } };
}

/** Whatever a function says, NaN included, is no reason to turn without a pause. */
function laterMs(afterSeconds: number): number {
  const ms = Number.isNaN(afterSeconds) ? leastLaterMs : afterSeconds * 1_000;
  return Math.min(Math.max(ms, leastLaterMs), mostLaterMs);
}
