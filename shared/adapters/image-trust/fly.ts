import { randomUUID } from 'node:crypto';
import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import { isFresh } from '#shared/domain/image-trust/verdict.ts';
import type { Before } from '#shared/domain/image-trust/verdict-store.ts';
import type { Flight, Verdicts } from './flight.ts';
import type { Hangar, Verification } from './hangar.ts';
import { proveFor } from './prove-for.ts';
import { type Subject, verdictKey, type Wish, wishKey } from './subject.ts';
import { unasked } from './unasked.ts';
import type { Place } from './waiting-room.ts';

type Claimed = { readonly claimed: Subject['collection'] };

/** Whoever holds the claim asks; the others wait to be called when it is given back, and hold no connection meanwhile. */
export async function fly(
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
    for (let ms = looks.firstMs; !signal.aborted; ms = Math.min(ms * 1.5, looks.mostMs)) {
      const turn = { ...verification, lease, place, signal };
      const told = await takeTurn(hangar, flight, turn, ms);
      if (told !== undefined) return told;
    }
    return unasked(flight, hangar.clock.now(), held);
  } finally {
    place.leave();
  }
}

const held: Judgement = {
  kind: 'unavailable',
  why: 'too-slow',
  note: 'another replica has been asking about it for longer than that may take',
};

type Turn = Verification & {
  readonly lease: Lease;
  readonly place: Place;
  readonly signal: AbortSignal;
};

async function takeTurn(
  hangar: Hangar,
  flight: Flight,
  { lease, place, ...verification }: Turn,
  waitMs: number,
): Promise<Verdicts | undefined> {
  const { attempt, store, leaseMs } = hangar;
  const claimed = await attempt(() => store.claim(lease.collection, lease.holder, leaseMs()));
  if (claimed === undefined) {
    flight.look();
    return proveFor(hangar, flight, { ...verification, isShared: false, before: [] });
  }
  if (!claimed.value) {
    await place.wait(waitMs, verification.signal);
    // Nothing is read yet: whoever comes may still join.
    return (await lookAgain(hangar, flight, verification, flight.wishes())).told;
  }
  const { told, before } = await lookAgain(hangar, flight, verification, flight.look());
  if (told !== undefined) {
    await release(hangar, lease);
    return told;
  }
  const kept = keepLease(hangar, lease);
  const proving = proveFor(hangar, flight, { ...verification, isShared: true, before });
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

type Again = {
  /** Where somebody has found out meanwhile all that is asked. */
  readonly told: Verdicts | undefined;
  readonly before: readonly Before[];
};

async function lookAgain(
  { clock, verdicts, attempt, store }: Hangar,
  flight: Flight,
  { subject }: Verification,
  asked: readonly Wish[],
): Promise<Again> {
  const found = await attempt(() => store.find(subject.collection, asked));
  // What could not be read says nothing of what was there.
  if (found === undefined) return { told: undefined, before: [] };
  const byKey = new Map(found.value.map((each) => [wishKey(each), each]));
  for (const verdict of byKey.values()) verdicts.keep(verdictKey(subject, verdict), verdict);
  const before = asked.map(({ tag, digest }) => {
    return { tag, digest, validUntil: byKey.get(wishKey({ tag, digest }))?.validUntil };
  });
  const now = clock.now();
  const isAll = flight.wishes().every((wish) => {
    const verdict = byKey.get(wishKey(wish));
    return verdict !== undefined && isFresh(verdict, now);
  });
  if (isAll) flight.close();
  return { told: isAll ? byKey : undefined, before };
}
