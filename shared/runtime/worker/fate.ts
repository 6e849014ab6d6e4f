import { comesAgain } from '#events/kinds.ts';
import type { Outgoing } from '#events/queue.ts';
import { retryBackoff, type Wakeup } from '#events/schedule.ts';
import { unsendable } from '#events/sendable.ts';
import { backoff } from '#shared/domain/backoff.ts';
import { boundedSeconds } from '../outcome-said.ts';
import type { Ran } from '../reconcile.ts';

/** What becomes of a message after its run. */
export type Fate =
  | { readonly kind: 'settle' }
  /** Goes to the schedule, and is settled when it is there: a crash between makes a duplicate, and loses nothing. */
  | { readonly kind: 'schedule'; readonly wakeup: Wakeup }
  | { readonly kind: 'bury'; readonly why: string; readonly cause?: unknown };

/** Where each was followed by the longest pause, it would be a thousand years: neither Postgres nor SQS has to count further. */
const mostAttempts = 100_000_000;

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
      return scheduled(
        'later',
        { ...message, attempt: 0 },
        boundedSeconds(ran.afterSeconds) * 1_000,
      );
    // The loop has run it again already; one that still says so comes from elsewhere.
    case 'conflict':
    case 'retry': {
      const next = Math.min(attempt + 1, mostAttempts);
      return scheduled('retry', { ...message, attempt: next }, backoff(next, retryBackoff, random));
    }
    case 'give-up':
      return comesAgain(message.type) ? { kind: 'settle' } : { kind: 'bury', why: ran.why };
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
