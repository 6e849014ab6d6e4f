import { crashed, type Delivery, type Receiving } from '../queue.ts';
import type { Bell } from './bell.ts';
import { type Claimed, claimGroups, deliver, type Found, isCrashed } from './claim.ts';
import type { Sql } from './connection.ts';
import type { InHand } from './in-hand.ts';
import { receiptText } from './receipts.ts';
import { type Fairness, fairnessAfter, sharesOf, unknown } from './shares.ts';
import type { Sleepers } from './sleepers.ts';

export type Receiver = {
  readonly sql: Sql;
  readonly bell: Bell;
  readonly sleepers: Sleepers;
  readonly inHand: InHand;
  readonly closing: AbortSignal;
  readonly bury: (receipt: string, why: string) => Promise<boolean>;
};

/** Without any notice, somebody looks again after so long. */
const safetyMs = 5_000;
/** Something is there, but locked, or a suspect: whoever has it tells when he is done, unless he dies. */
const lockedMs = 250;

export function receiverOn(
  parts: Receiver,
): (receiving: Receiving) => Promise<readonly Delivery[]> {
  const claim = claimerOn(parts);
  return async (receiving) => {
    const over = overSignal(receiving, parts.closing);
    for (let round = 0; ; round += 1) {
      const deliveries = await claimOrSleep(parts, receiving, { claim, over, round });
      if (deliveries !== undefined) return deliveries;
    }
  };
}

type Round = {
  readonly claim: (receiving: Receiving) => Promise<readonly Delivery[]>;
  readonly over: AbortSignal | undefined;
  readonly round: number;
};

/** Nothing: look again. Who sleeps was marked, and listened, before he looked. */
async function claimOrSleep(
  { sql, bell, sleepers, closing }: Receiver,
  receiving: Receiving,
  { claim, over, round }: Round,
): Promise<readonly Delivery[] | undefined> {
  const listening = bell.listen(receiving.functions);
  try {
    const mark = sleepers.current();
    const wasSeen = mark?.isSeen === true;
    const deliveries = closing.aborted ? [] : await claim(receiving);
    if (deliveries.length >= receiving.max) bell.ring(deliveries.map((each) => each.function));
    if (deliveries.length > 0 || over === undefined || over.aborted) return deliveries;

    const hasSlept = await sleepers.sleep(mark, () =>
      listening.wait(patienceMs({ sql, sleepers }, receiving.functions, { round, wasSeen }), over),
    );
    if (!hasSlept) await sleepers.mark();
    return undefined;
  } finally {
    listening.end();
  }
}

/** `undefined`: there is no waiting at all. */
function overSignal({ waitMs, signal }: Receiving, closing: AbortSignal): AbortSignal | undefined {
  if (waitMs <= 0) return undefined;
  const ends = [AbortSignal.timeout(waitMs), closing];
  return AbortSignal.any(signal === undefined ? ends : [...ends, signal]);
}

/** Remembers who had much, so that those who had little come first. */
function claimerOn(parts: Receiver): (receiving: Receiving) => Promise<readonly Delivery[]> {
  const { sql, inHand } = parts;
  let fairness: Fairness = unknown;

  const claim = async ({ functions, max, visibilityMs }: Receiving): Promise<Found> => {
    const shares = sharesOf({ functions, max }, fairness);
    const isAlone = inHand.isEmpty();
    const found = await claimGroups(sql, { shares, max, visibilityMs, isAlone });
    fairness = fairnessAfter(fairness, { shares, claimed: found.claimed, max });
    inHand.reserve(found.isSuspectThere);
    return found;
  };
  return async (receiving) => {
    if (inHand.isReserved() && !(await inHand.isEmptyNow())) return [];
    let good: readonly Claimed[] = [];
    for (let isMore = true; isMore && good.length === 0; ) {
      const { claimed, isSuspectThere } = await claim(receiving);
      good = await withoutCrashed(parts, claimed);
      // Perhaps nothing keeps the suspect from being alone but what ran out.
      isMore = claimed.length > 0 || (isSuspectThere && (await inHand.isEmptyNow()));
    }
    return deliver(sql, good);
  };
}

async function withoutCrashed(
  { inHand, bury }: Receiver,
  claimed: readonly Claimed[],
): Promise<readonly Claimed[]> {
  const good = claimed.filter((each) => !isCrashed(each));
  inHand.take(good);
  await Promise.all(claimed.filter(isCrashed).map((each) => bury(receiptText(each), crashed)));
  return good;
}

async function patienceMs(
  { sql, sleepers }: Pick<Receiver, 'sql' | 'sleepers'>,
  functions: readonly string[],
  looked: Looked,
): Promise<number> {
  const [nextMs, isSeen] = await Promise.all([
    untilVisibleMs(sql, functions),
    looked.wasSeen || sleepers.isSeen(),
  ]);
  const longestMs = untilNextLookMs(looked, isSeen);
  if (nextMs === undefined) return longestMs;
  return Math.min(longestMs, nextMs > 0 ? Math.ceil(nextMs) + 1 : lockedMs);
}

type Looked = { readonly round: number; readonly wasSeen: boolean };

/** A send that did not see the mark may have been committed after the look, and before it was known to be over. */
function untilNextLookMs({ round, wasSeen }: Looked, isSeen: boolean): number {
  if (wasSeen) return safetyMs;
  return isSeen ? 0 : Math.min(5 * 2 ** Math.min(round, 10), safetyMs);
}

async function untilVisibleMs(sql: Sql, functions: readonly string[]): Promise<number | undefined> {
  const [next] = await sql<{ ms: number | null }[]>`
    select (extract(epoch from min(first.visible_at) - clock_timestamp()) * 1000)::float8 as ms
    from unnest(${functions}::text[]) as wanted (function)
    cross join lateral (
      select visible_at from queue_groups
      where function = wanted.function
      order by visible_at
      limit 1
    ) as first`;
  return next?.ms ?? undefined;
}
