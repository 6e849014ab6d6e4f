import { randomUUID } from 'node:crypto';
import { isRefusalToAccount } from '#shared/domain/image-trust/judgement.ts';
import { isFresh, type Verdict } from '#shared/domain/image-trust/verdict.ts';
import type { KeptAnchor } from '#shared/domain/image-trust/verdict-store.ts';
import { attempts } from './attempt.ts';
import { type Flight, openFlight } from './flight.ts';
import type { Hangar, Looks, Verification } from './hangar.ts';
import { joining } from './joining.ts';
import { newest } from './newest.ts';
import type { JudgeParts } from './parts.ts';
import { proverOf } from './proof.ts';
import { proveFor } from './prove-for.ts';
import { sha256 } from './sha256.ts';
import { type Subject, verdictKey, type Wish, wishKey } from './subject.ts';
import { type Place, waitingRoom } from './waiting-room.ts';

export type Collections = {
  /** What is known and fresh, in memory or in what all replicas share. */
  recall(subject: Subject, wish: Wish): Promise<Verdict | undefined>;
  /** Asks whoever has to be asked, once for all who want to know at the same time. It outlives whoever asked. */
  verify(verification: Verification, wish: Wish): Promise<Verdict>;
  forget(collection: string | undefined): void;
};

/** A call may be lost, and who is gone calls nobody. */
const usualLooks: Looks = { firstMs: 100, mostMs: 250 };

export function openCollections(
  parts: JudgeParts,
  attempt = attempts(),
  looks: Looks = usualLooks,
): Collections {
  const hangar = {
    ...parts,
    attempt,
    looks,
    verdicts: newest<Verdict>(20_000),
    anchors: newest<KeptAnchor>(5_000),
    waiting: waitingRoom(),
  };
  parts.store.onRelease(hangar.waiting.call);
  const recalling = joining<Verdict | undefined>();
  const flights = new Map<string, Flight>();
  const verify = async (
    verification: Verification,
    wish: Wish,
    isAlone = false,
  ): Promise<Verdict> => {
    const { collection } = verification.subject;
    const claimed = isAlone ? ownClaim(collection, wish) : collection;
    const key = `${claimed.key} ${verification.isDryRun}`;
    const known = flights.get(key);
    if (known?.join(wish) === true) {
      const told = await known.verdictFor(wish);
      const isOurs = known.isBy(wish) || !isRefusalToAccount(told.judgement);
      // Of many that are refused each would else wait for all before it, and with them whoever is not.
      return isOurs ? told : verify(verification, wish, proverOf(verification).reads === 'images');
    }
    const flight = openFlight(wish);
    flights.set(key, flight);
    const done = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    // It is over before it is told of: whoever has to ask anew must not join it again.
    void fly(hangar, flight, { ...verification, claimed })
      .finally(done)
      .then(flight.land, flight.fail);
    return flight.verdictFor(wish);
  };
  return {
    recall: async (subject, wish) => {
      const key = verdictKey(subject, wish);
      const isGood = (verdict: Verdict | undefined) =>
        verdict !== undefined && isFresh(verdict, hangar.clock.now());
      const known = hangar.verdicts.find(key);
      if (isGood(known)) return known;
      return (await recalling.ask(key, () => stored(hangar, subject, wish), isGood)) ?? known;
    },
    verify,
    forget(collection) {
      recalling.part();
      hangar.verdicts.drop((key) => collection === undefined || key.startsWith(collection));
    },
  };
}

async function stored(hangar: Hangar, subject: Subject, wish: Wish): Promise<Verdict | undefined> {
  const { verdicts } = hangar;
  const [found] = await storedAll(hangar, subject, [wish]);
  if (found !== undefined) verdicts.keep(verdictKey(subject, wish), found);
  return found;
}

async function storedAll(
  { store, attempt }: Hangar,
  { collection }: Subject,
  wishes: readonly Wish[],
): Promise<readonly Verdict[]> {
  return (await attempt(() => store.find(collection, wishes)))?.value ?? [];
}

type Verdicts = ReadonlyMap<string, Verdict>;

type Claimed = { readonly claimed: Subject['collection'] };

/** Who asks for one account alone. */
function ownClaim(collection: Subject['collection'], { account }: Wish): Subject['collection'] {
  return { ...collection, key: sha256(`${collection.key} ${account}`) };
}

type Turn = Verification & {
  readonly lease: Lease;
  readonly place: Place;
  readonly signal: AbortSignal;
};

/** Whoever holds the claim asks; the others wait to be called when it is given back, and hold no connection meanwhile. */
async function fly(
  hangar: Hangar,
  flight: Flight,
  { claimed, ...verification }: Verification & Claimed,
): Promise<Verdicts> {
  const lease = { collection: claimed, holder: randomUUID() };
  const signal = AbortSignal.timeout(hangar.boundMs);
  // Before the claim is asked for: what is given back right after we came in vain is not missed.
  const place = hangar.waiting.enter(claimed.key);
  const { looks } = hangar;
  try {
    for (let waitMs = looks.firstMs; ; waitMs = Math.min(waitMs * 1.5, looks.mostMs)) {
      const told = await takeTurn(
        hangar,
        flight,
        { ...verification, lease, place, signal },
        waitMs,
      );
      if (told !== undefined) return told;
    }
  } finally {
    place.leave();
  }
}

async function takeTurn(
  hangar: Hangar,
  flight: Flight,
  { lease, place, ...verification }: Turn,
  waitMs: number,
): Promise<Verdicts | undefined> {
  const { attempt, store, leaseMs } = hangar;
  const claimed = await attempt(() => store.claim(lease.collection, lease.holder, leaseMs()));
  if (claimed === undefined) return proveFor(hangar, flight, { ...verification, isShared: false });
  if (!claimed.value) {
    await place.wait(waitMs, verification.signal);
    return lookAgain(hangar, flight, verification);
  }
  const known = await lookAgain(hangar, flight, verification);
  if (known !== undefined) {
    await release(hangar, lease);
    return known;
  }
  const kept = keepLease(hangar, lease);
  const proving = proveFor(hangar, flight, { ...verification, isShared: true });
  // What is kept already is told without waiting for the claim to be given back.
  void proving.then(kept.end, kept.end);
  return proving;
}

type Lease = { readonly collection: Subject['collection']; readonly holder: string };

async function release({ attempt, store }: Hangar, { collection, holder }: Lease): Promise<void> {
  await attempt(() => store.release(collection, holder));
}

function keepLease(hangar: Hangar, lease: Lease) {
  const { attempt, store } = hangar;
  const leaseMs = hangar.leaseMs();
  let renewing: Promise<unknown> = Promise.resolve();
  const renew = () => {
    renewing = attempt(() => store.claim(lease.collection, lease.holder, leaseMs));
  };
  const timer = setInterval(renew, leaseMs / 3).unref();
  return {
    end: async () => {
      clearInterval(timer);
      // What is renewed after it was given back nobody gives back.
      await renewing;
      await release(hangar, lease);
    },
  };
}

/** Whether somebody has found out meanwhile all that is asked. */
async function lookAgain(
  hangar: Hangar,
  flight: Flight,
  { subject }: Verification,
): Promise<Verdicts | undefined> {
  const { clock, verdicts } = hangar;
  const found = await storedAll(hangar, subject, flight.wishes());
  const now = clock.now();
  const byKey = new Map(found.map((each) => [wishKey(each), each]));
  for (const verdict of byKey.values()) verdicts.keep(verdictKey(subject, verdict), verdict);
  const isAll = flight.wishes().every((wish) => {
    const verdict = byKey.get(wishKey(wish));
    return verdict !== undefined && isFresh(verdict, now);
  });
  if (isAll) flight.close();
  return isAll ? byKey : undefined;
}
