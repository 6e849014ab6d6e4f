import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import { type ImageTrustSettings, milliseconds } from '#shared/domain/image-trust/settings.ts';
import { type Lifetimes, timesOf, type Verdict } from '#shared/domain/image-trust/verdict.ts';
import type { Askable, JudgeParts } from './parts.ts';

/** How long it serves from now on, as it is configured. */
export function timesFor(
  judgement: Judgement,
  { clock, chance }: Pick<JudgeParts, 'clock' | 'chance'>,
  { settings }: Pick<Askable, 'settings'>,
): Pick<Verdict, 'freshUntil' | 'validUntil'> {
  return timesOf(judgement, {
    now: clock.now(),
    lifetimes: lifetimesIn(settings),
    chance: chance(),
  });
}

export function lifetimesIn({ lifetimes }: ImageTrustSettings): Lifetimes {
  return {
    freshMs: milliseconds(lifetimes.fresh),
    untrustedMs: milliseconds(lifetimes.untrusted),
    unavailableMs: milliseconds(lifetimes.unavailable),
  };
}
