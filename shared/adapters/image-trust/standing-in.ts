import type { Unavailable } from '#shared/domain/image-trust/judgement.ts';
import {
  isFresh,
  isStandingIn,
  standingIn,
  stillServes,
  type Verdict,
} from '#shared/domain/image-trust/verdict.ts';
import type { KnownAnchor, Trip } from './anchoring.ts';
import type { Flight } from './flight.ts';
import type { Hangar } from './hangar.ts';
import { type Subject, verdictKey, wishKey } from './subject.ts';
import { timesFor } from './times-for.ts';

/**
 * While nothing is heard, what was proven before and still holds is kept as if nobody could have been asked: else each
 * review would wait anew, and whoever validates at another replica would know nothing of what was let through.
 */
export function standInFor(hangar: Hangar, flight: Flight, grounds: Trip & KnownAnchor) {
  let keeping: Promise<unknown> = Promise.resolve();
  // Before those give up who wait for it.
  const timer = setInterval(() => {
    keeping = keeping.then(() => keepOlder(hangar, flight, grounds));
  }, hangar.patienceMs / 2).unref();
  return {
    /** Whatever is found out is kept after it. */
    async end(): Promise<void> {
      clearInterval(timer);
      await keeping;
    },
  };
}

const why: Unavailable = 'too-slow';
const silence = { kind: 'unavailable', why, note: '' } as const;

async function keepOlder(
  hangar: Hangar,
  flight: Flight,
  grounds: Trip & KnownAnchor,
): Promise<void> {
  const { verdicts, attempt, store } = hangar;
  const { subject, askable, isShared, kept } = grounds;
  const known = olderOnes(hangar, flight, subject);
  if (known.length === 0) return;
  const newer = isShared ? await foundOutSince(hangar, subject, known) : new Set();
  const older = known
    .filter((each) => !newer.has(wishKey(each)))
    .map((each) => standingIn(each, timesFor(silence, hangar, askable)));
  for (const each of older) verdicts.keep(verdictKey(subject, each), each);
  const proof = { root: kept?.root ?? '', isChange: false, before: [] };
  if (isShared) await attempt(() => store.keep(subject.collection, older, proof));
}

function olderOnes({ clock, verdicts }: Hangar, flight: Flight, subject: Subject) {
  const now = clock.now();
  return flight
    .wishes()
    .flatMap((wish) => verdicts.find(verdictKey(subject, wish)) ?? [])
    .filter((verdict: Verdict) => stillServes(verdict, now) && !isFresh(verdict, now));
}

/** Where our lease ran out, somebody else may have been told something: that is remembered here too. */
async function foundOutSince(
  { clock, verdicts, attempt, store }: Hangar,
  subject: Subject,
  known: readonly Verdict[],
): Promise<ReadonlySet<string>> {
  const found = (await attempt(() => store.find(subject.collection, known)))?.value ?? [];
  const newer = found.filter(
    (each) => each.judgement.kind === 'untrusted' || isProvenYet(each, clock.now()),
  );
  for (const each of newer) verdicts.keep(verdictKey(subject, each), each);
  return new Set(newer.map(wishKey));
}

function isProvenYet(verdict: Verdict, now: Date): boolean {
  return verdict.judgement.kind === 'trusted' && !isStandingIn(verdict) && isFresh(verdict, now);
}
