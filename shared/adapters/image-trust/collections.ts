import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isFresh, type Verdict } from '#shared/domain/image-trust/verdict.ts';
import type { KeptAnchor } from '#shared/domain/image-trust/verdict-store.ts';
import { attempts } from './attempt.ts';
import { type Flight, openFlight } from './flight.ts';
import type { Hangar, Verification } from './hangar.ts';
import { newest } from './newest.ts';
import type { JudgeParts } from './parts.ts';
import { proveFor } from './prove-for.ts';
import { type Subject, verdictKey, type Wish, wishKey } from './subject.ts';

export type Collections = {
  /** What is known and fresh, in memory or in what all replicas share. */
  recall(subject: Subject, wish: Wish): Promise<Verdict | undefined>;
  /** Asks whoever has to be asked, once for all who want to know at the same time. It outlives whoever asked. */
  verify(verification: Verification, wish: Wish): Promise<Verdict>;
  forget(collection: string | undefined): void;
};

/** No verification takes longer. */
export const boundMs = 60_000;

export function openCollections(parts: JudgeParts, attempt = attempts()): Collections {
  const hangar = {
    ...parts,
    attempt,
    verdicts: newest<Verdict>(20_000),
    anchors: newest<KeptAnchor>(5_000),
  };
  const flights = new Map<string, Flight>();
  return {
    recall: (subject, wish) => recalled(hangar, subject, wish),
    verify(verification, wish) {
      const { subject, isDryRun } = verification;
      const key = `${subject.collection.key} ${isDryRun}`;
      const known = flights.get(key);
      if (known?.join(wish) === true) return known.verdictFor(wish);

      const flight = openFlight(wish);
      flights.set(key, flight);
      const done = () => {
        if (flights.get(key) === flight) flights.delete(key);
      };
      void fly(hangar, flight, verification).then(flight.land, flight.fail).finally(done);
      return flight.verdictFor(wish);
    },
    forget(collection) {
      hangar.verdicts.drop((key) => collection === undefined || key.startsWith(collection));
    },
  };
}

async function recalled(
  { verdicts, store, clock, attempt }: Hangar,
  subject: Subject,
  wish: Wish,
): Promise<Verdict | undefined> {
  const key = verdictKey(subject, wish);
  const known = verdicts.find(key);
  if (known !== undefined && isFresh(known, clock.now())) return known;

  const [stored] = (await attempt(() => store.find(subject.collection, [wish])))?.value ?? [];
  if (stored !== undefined) verdicts.keep(key, stored);
  return stored ?? known;
}

/** Whoever holds the claim asks; the others look again and again, and hold no connection meanwhile. */
async function fly(
  hangar: Hangar,
  flight: Flight,
  verification: Verification,
): Promise<ReadonlyMap<string, Verdict>> {
  const { attempt, store, leaseMs } = hangar;
  const { collection } = verification.subject;
  const holder = randomUUID();
  const signal = AbortSignal.timeout(boundMs);
  for (let waitMs = 15; ; waitMs = Math.min(waitMs * 1.5, 80)) {
    const claimed = await attempt(() => store.claim(collection, holder, leaseMs));
    if (claimed === undefined)
      return proveFor(hangar, flight, { ...verification, isShared: false, signal });
    const known = await lookAgain(hangar, flight, verification);
    if (known !== undefined) return landed(hangar, { collection, holder }, claimed.value, known);
    if (claimed.value) {
      const lease = keepLease(hangar, { collection, holder });
      return proveFor(hangar, flight, { ...verification, isShared: true, signal }).finally(
        lease.end,
      );
    }
    await pause(waitMs, undefined, { signal });
  }
}

type Lease = { readonly collection: Subject['collection']; readonly holder: string };

async function landed<T>(hangar: Hangar, lease: Lease, isClaimed: boolean, known: T): Promise<T> {
  if (isClaimed) await release(hangar, lease);
  return known;
}

async function release({ attempt, store }: Hangar, { collection, holder }: Lease): Promise<void> {
  await attempt(() => store.release(collection, holder));
}

function keepLease(hangar: Hangar, lease: Lease) {
  const { attempt, store, leaseMs } = hangar;
  const renew = () => void attempt(() => store.claim(lease.collection, lease.holder, leaseMs));
  const timer = setInterval(renew, leaseMs / 3).unref();
  return {
    end: async () => {
      clearInterval(timer);
      await release(hangar, lease);
    },
  };
}

/** Whether somebody has found out meanwhile all that is asked. */
async function lookAgain(
  { attempt, store, clock, verdicts }: Hangar,
  flight: Flight,
  { subject }: Verification,
): Promise<ReadonlyMap<string, Verdict> | undefined> {
  const found = await attempt(() => store.find(subject.collection, flight.wishes()));
  const now = clock.now();
  const byKey = new Map((found?.value ?? []).map((each) => [wishKey(each), each]));
  for (const verdict of byKey.values()) verdicts.keep(verdictKey(subject, verdict), verdict);
  const isAll = flight.wishes().every((wish) => {
    const verdict = byKey.get(wishKey(wish));
    return verdict !== undefined && isFresh(verdict, now);
  });
  if (isAll) flight.close();
  return isAll ? byKey : undefined;
}
