import { isRefusal, type Judgement } from './judgement.ts';

/** What was learnt of one digest under one name, and how long it serves. */
export type Verdict = {
  /** The tag under which it was asked for; none for a bare digest. */
  readonly tag: string | undefined;
  readonly digest: string;
  /** Other digests of the same image that may be signed in its place: of its configuration, if that was looked at. */
  readonly also: readonly string[];
  readonly judgement: Judgement;
  /** After it the verifier is asked again. */
  readonly freshUntil: Date;
  /** Until then it serves while the verifier cannot be reached: never past what proves it. */
  readonly validUntil: Date;
};

export type Lifetimes = {
  readonly freshMs: number;
  readonly untrustedMs: number;
  readonly unavailableMs: number;
};

const leastUnavailableMs = 1_000;

/** `chance` from 0 to 1 spreads those who were told together that nobody answers. */
export function timesOf(
  judgement: Judgement,
  { now, lifetimes, chance }: { now: Date; lifetimes: Lifetimes; chance: number },
): Pick<Verdict, 'freshUntil' | 'validUntil'> {
  const fresh = new Date(now.getTime() + lastsMs(judgement, lifetimes, chance));
  switch (judgement.kind) {
    case 'trusted':
      return { freshUntil: earlier(fresh, judgement.until), validUntil: judgement.until };
    default:
      return { freshUntil: fresh, validUntil: fresh };
  }
}

function lastsMs(judgement: Judgement, lifetimes: Lifetimes, chance: number): number {
  switch (judgement.kind) {
    case 'trusted':
      return lifetimes.freshMs;
    case 'allowed':
    case 'untrusted':
      // The right credentials may come a moment later.
      return isRefusal(judgement) ? shortMs(lifetimes, chance) : lifetimes.untrustedMs;
    case 'unavailable':
      return shortMs(lifetimes, chance);
  }
}

function shortMs({ unavailableMs }: Lifetimes, chance: number): number {
  const most = Math.max(leastUnavailableMs, unavailableMs);
  return leastUnavailableMs + chance * (most - leastUnavailableMs);
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}

/** How far the clocks of two replicas may be apart. */
export const skewMs = 10_000;

/** Whoever stored it counted by another clock: if that is far ahead, it would be young for longer than anything may be. */
export function asStored(verdict: Verdict, now: Date, lifetimes: Lifetimes): Verdict {
  const mostMs = lastsMs(verdict.judgement, lifetimes, 1);
  const isAhead = verdict.freshUntil.getTime() > now.getTime() + mostMs + skewMs;
  // As of long ago: what was fresh now would be as fresh each time that it is read.
  return isAhead ? { ...verdict, freshUntil: new Date(0) } : verdict;
}

/** As for what a tag was. */
export function wasSeen(seenAt: Date, now: Date): boolean {
  return seenAt.getTime() <= now.getTime() + skewMs;
}

export function isFresh({ freshUntil }: Pick<Verdict, 'freshUntil'>, now: Date): boolean {
  return now < freshUntil;
}

/** Whether it may stand in while its verifier is away. */
export function stillServes({ judgement, validUntil }: Verdict, now: Date): boolean {
  return judgement.kind === 'trusted' && now < validUntil;
}

/** What is answered where the verifier is away and something older still holds. */
export function standingIn(kept: Verdict, { freshUntil }: Pick<Verdict, 'freshUntil'>): Verdict {
  const { judgement, validUntil } = kept;
  if (judgement.kind !== 'trusted') return kept;
  const remarks = [...new Set([...judgement.remarks, 'not-asked-again' as const])];
  const unheardSince = lastHeard(kept);
  return {
    ...kept,
    judgement: { ...judgement, remarks, unheardSince },
    freshUntil: earlier(freshUntil, validUntil),
  };
}

/** Until then somebody had proven it, however often it has stood in since. */
function lastHeard({ judgement, freshUntil }: Verdict): Date {
  return (judgement.kind === 'trusted' ? judgement.unheardSince : undefined) ?? freshUntil;
}

const leastUnshownMs = 3_600_000;

/**
 * Whether it counts for whoever is refused: what is shown to nobody any more may have been taken back. Whoever is shown
 * an image has it proven as often as running pods are looked at: nothing lapses between two looks.
 */
export function servesRefused(verdict: Verdict, now: Date, periodMs: number): boolean {
  const heard = lastHeard(verdict);
  const lastsMs = Math.max(leastUnshownMs, periodMs);
  const isShown = wasSeen(heard, now) && now.getTime() < heard.getTime() + lastsMs;
  return isShown && stillServes(verdict, now);
}

/** Whether nobody was heard who could have proven it anew. */
export function isStandingIn({ judgement }: Pick<Verdict, 'judgement'>): boolean {
  return judgement.kind === 'trusted' && judgement.remarks.includes('not-asked-again');
}

/** What is this much older nobody has asked about lately. */
const latelyMs = 10_000;

/** Whether the last who asked was told nothing, a moment ago. */
export function wasSilent(verdict: Verdict, now: Date): boolean {
  return now.getTime() < verdict.freshUntil.getTime() + latelyMs && isStandingIn(verdict);
}
