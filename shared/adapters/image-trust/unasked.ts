import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import type { Verdict } from '#shared/domain/image-trust/verdict.ts';
import type { Asked } from '#shared/domain/image-trust/verdict-store.ts';
import type { Flight, Verdicts } from './flight.ts';
import { wishKey } from './subject.ts';

/** It was nobody's turn to ask in time: whoever comes next tries again. */
export function unasked(flight: Flight, now: Date, judgement: Judgement): Verdicts {
  flight.close();
  return new Map(flight.wishes().map((wish) => [wishKey(wish), neverAsked(wish, now, judgement)]));
}

export function neverAsked({ tag, digest }: Asked, now: Date, judgement: Judgement): Verdict {
  return { tag, digest, also: [], judgement, freshUntil: now, validUntil: now };
}
