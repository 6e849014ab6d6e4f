import type { Again, SetAffected } from '#events/kinds.ts';
import { done, giveUp, type Outcome, retry } from '#shared/domain/outcome.ts';

/** One that lives, as the mirror has it. */
export type Member = { readonly namespace: string; readonly name: string; readonly uid: string };

/** What the mirror has of a set, one page of it. Moments are milliseconds of its own clock. */
export type Found =
  | {
      readonly members: readonly Member[];
      readonly now: number;
      /** When whoever follows them was last heard of. */
      readonly heardAt: number;
    }
  /** They are not listed yet. */
  | 'unknown'
  | 'unfollowed';

export type Look = { readonly set: SetAffected; readonly afterMs: number };

/** What becomes of it now, and when it is looked at again. */
export type SetPlan =
  | { readonly kind: 'end'; readonly outcome: Outcome; readonly look?: Look }
  | {
      readonly kind: 'expand';
      readonly set: SetAffected;
      readonly page: readonly Member[];
      readonly look?: Look;
    };

/** Those of one stretch are looked for together, whatever has happened in it. Longer than a transaction that stalls. */
const stretchMs = 15_000;
/** The stretch, and one before it for transactions that were under way. */
const spanMs = 2 * stretchMs;
/** Bookmarks come about every minute. */
const lookAfterMs = 90_000;
const askAgainMs = 60_000;
/** A quarter of an hour, by the backoff: in a roll-out the one who follows them may be yet to come. */
const mostAttempts = 10;

/**
 * The loop of the members' kind may be behind the one that told of the set, by as long as a backoff or a watch that is half
 * open lasts: so whoever comes to the mirror later is looked for again, until that loop is known to have come past.
 */
export function planSet(set: SetAffected, found: Found, attempt: number): SetPlan {
  if (found === 'unfollowed') return unfollowed(set, attempt);
  if (found === 'unknown') return ended(retry(`not all ${set.resource} are listed yet`));
  const { again } = set;
  const isFirst = set.after === '';
  if (isFirst && again === undefined) return expandAll(set, found);
  if (isFirst && again !== undefined) return lookAgain(set, again, found);
  return { kind: 'expand', set, page: found.members };
}

/** One that was expanded is no loss. */
function unfollowed({ again, resource }: SetAffected, attempt: number): SetPlan {
  if (again !== undefined) return ended(done);
  const why = `nobody follows the ${resource} that it is of`;
  return ended(attempt < mostAttempts ? retry(why) : giveUp(why));
}

type Known = Exclude<Found, string>;

function lookAgain(set: SetAffected, { whom, since }: Again, found: Known): SetPlan {
  const { members: page, now, heardAt } = found;
  if (whom === 'newcomers') {
    return heardAt >= since + spanMs ? { kind: 'expand', set, page } : awaitAll(set, now);
  }
  if (heardAt >= since) return expandAll(set, found);
  return ended(retry(`whoever follows ${set.resource} is behind`));
}

function expandAll({ again: _, ...set }: SetAffected, { members: page, now }: Known): SetPlan {
  const since = Math.max(0, (Math.floor(now / stretchMs) - 1) * stretchMs);
  const look: Look = {
    set: { ...set, again: { whom: 'newcomers', since } },
    afterMs: since + spanMs + lookAfterMs - now,
  };
  return { kind: 'expand', set, page, look };
}

/** All of them, so that one message stands for all the looks that an outage gathers. */
function awaitAll(set: SetAffected, now: number): SetPlan {
  const all = { ...set, again: { whom: 'all', since: now } as const };
  return { kind: 'end', outcome: done, look: { set: all, afterMs: askAgainMs } };
}

function ended(outcome: Outcome): SetPlan {
  return { kind: 'end', outcome };
}
