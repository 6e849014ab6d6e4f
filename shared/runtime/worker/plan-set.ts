import type { Again, SetAffected } from '#events/kinds.ts';
import { done, giveUp, type Outcome, retry } from '#shared/domain/outcome.ts';
import { mostAttempts } from '../wake.ts';

/** One that lives, as the mirror has it. */
export type Member = { readonly namespace: string; readonly name: string; readonly uid: string };

/** What the mirror has of a set, one page of it. Moments are milliseconds of its own clock. */
export type Found =
  | {
      readonly members: readonly Member[];
      readonly now: number;
      /** The mirror has all that was in the cluster then. */
      readonly caughtUpAt: number;
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
/** How far the cluster is is asked for with one bookmark, about every minute, and known to be reached with the next one. */
const lookAfterMs = 150_000;
/** A day, for a loop that is away. Nobody is forgotten without a word: then it is put aside. */
const mostLooks = 300;

/**
 * The loop of the members' kind may be behind the one that told of the set, by a backoff, a watch that is half open or all
 * that it has yet to work off: so whoever comes to the mirror later is looked for again, once that loop has come so far.
 */
export function planSet(set: SetAffected, found: Found, attempt: number): SetPlan {
  const { again } = set;
  if (again !== undefined) return lookAgain(set, again, { found, attempt });
  if (found === 'unfollowed') return unfollowed(set, attempt);
  if (found === 'unknown') return ended(retry(whys.unknown(set.resource)));
  return set.after === '' ? expandAll(set, found) : { kind: 'expand', set, page: found.members };
}

/** In a roll-out the one who follows them may be yet to come. */
function unfollowed({ resource }: SetAffected, attempt: number): SetPlan {
  const why = whys.unfollowed(resource);
  return ended(attempt < mostAttempts ? retry(why) : giveUp(why));
}

type Known = Exclude<Found, string>;

function expandAll(set: SetAffected, { members: page, now }: Known): SetPlan {
  const since = Math.max(0, (Math.floor(now / stretchMs) - 1) * stretchMs);
  const look: Look = { set: { ...set, again: { since } }, afterMs: dueAt(since) - now };
  return { kind: 'expand', set, page, look };
}

type Tried = { readonly found: Found; readonly attempt: number };

function lookAgain(set: SetAffected, { since }: Again, { found, attempt }: Tried): SetPlan {
  if (typeof found === 'string') return ended(unready(set, found, attempt));
  const { members: page, now, caughtUpAt } = found;
  if (set.after === '') {
    // The clock was set back: who came since is not to be told from the others, and so all are expanded anew.
    if (since > now) return putOff(anew(set), 0);
    // Somebody hastened it.
    if (now < dueAt(since)) return putOff(set, dueAt(since) - now);
    // What is later than now was said by the clock of before.
    const isBehind = caughtUpAt < since + spanMs || caughtUpAt > now;
    if (isBehind) return ended(unready(set, 'behind', attempt));
  }
  return { kind: 'expand', set, page };
}

function dueAt(since: number): number {
  return since + spanMs + lookAfterMs;
}

function putOff(set: SetAffected, afterMs: number): SetPlan {
  return { kind: 'end', outcome: done, look: { set, afterMs } };
}

function anew({ again: _, ...set }: SetAffected): SetAffected {
  return set;
}

const whys = {
  unfollowed: (resource: string) => `nobody follows the ${resource} that it is of`,
  unknown: (resource: string) => `not all ${resource} are listed yet`,
  behind: (resource: string) => `the mirror is not known to have all ${resource} of then yet`,
} as const;

function unready({ resource }: SetAffected, what: keyof typeof whys, attempt: number): Outcome {
  const why = whys[what](resource);
  if (attempt < mostLooks) return retry(why);
  return giveUp(`${why}, for a day: redrive this once that is mended`);
}

function ended(outcome: Outcome): SetPlan {
  return { kind: 'end', outcome };
}
