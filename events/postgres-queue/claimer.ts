import { crashed, type Queue, type Receiving } from '../queue.ts';
import { type Claimed, claimGroups, deliver, type Found, isCrashed } from './claim.ts';
import type { Sql } from './connection.ts';
import type { From } from './floors.ts';
import type { InHand, Suspect } from './in-hand.ts';
import { receiptText } from './receipts.ts';
import { type Claim, sharedClaims } from './shared-claims.ts';
import { type Fairness, fairnessAfter, sharesOf, unknown } from './shares.ts';
import { sideBySideWhile } from './side-by-side.ts';

export type Claimer = {
  readonly sql: Sql;
  readonly inHand: InHand;
  readonly closing: AbortSignal;
  readonly bury: Queue['bury'];
  readonly onTrouble: (cause: unknown) => void;
};

type Taken = { readonly good: readonly Claimed[]; readonly isMore: boolean };

const nothing: Taken = { good: [], isMore: false };

/** Remembers who had much, so that those who had little come first. */
export function claimerOn(parts: Claimer): Claim {
  const { sql, inHand, closing } = parts;
  // To empty hands a claim may bring a suspect, which no other claim may put anything beside.
  const inTurn = sideBySideWhile(() => !inHand.isEmpty() && !inHand.isReserved());
  let fairness: Fairness = unknown;

  const claim = async (receiving: Receiving, from: From): Promise<Found> => {
    const { functions, max, visibilityMs } = receiving;
    const shares = sharesOf({ functions, max }, fairness);
    const floors = shares.map((share) => from.get(share.function) ?? 0);
    const isAlone = inHand.isEmpty();
    const found = await claimGroups(sql, { shares, floors, max, visibilityMs, isAlone });
    fairness = fairnessAfter(fairness, { shares, claimed: found.claimed, max });
    inHand.reserve(suspectOf(found));
    return found;
  };
  const take = async (receiving: Receiving, from: From): Promise<Taken> => {
    if (closing.aborted) return nothing;
    if (inHand.isReserved() && !(await inHand.isOpenNow())) return nothing;

    const { claimed, suspectId } = await claim(receiving, from);
    const good = await withoutCrashed(parts, claimed);
    // Perhaps nothing keeps the suspect from being alone but what ran out.
    const isMore = claimed.length > 0 || (suspectId !== null && (await inHand.isEmptyNow()));
    return { good, isMore };
  };
  return sharedClaims(async (receiving, from) => {
    for (;;) {
      const { good, isMore } = await inTurn(() => take(receiving, from));
      if (good.length > 0 || !isMore) return deliver(sql, good);
    }
  });
}

function suspectOf({ claimed, suspectId }: Found): Suspect | undefined {
  return suspectId === null ? undefined : { id: suspectId, isInHand: claimed.length > 0 };
}

/** What cannot be buried stays claimed until it is visible again: the others are handed over all the same. */
async function withoutCrashed(
  { inHand, bury, onTrouble }: Claimer,
  claimed: readonly Claimed[],
): Promise<readonly Claimed[]> {
  const good = claimed.filter((each) => !isCrashed(each));
  inHand.take(good);
  const burials = claimed.filter(isCrashed).map((each) => bury(receiptText(each), crashed));
  await Promise.all(burials.map((each) => each.catch(onTrouble)));
  return good;
}
