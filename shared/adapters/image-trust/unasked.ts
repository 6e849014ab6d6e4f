import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import type { Flight, Verdicts } from './flight.ts';
import { wishKey } from './subject.ts';

/** It was nobody's turn to ask in time: whoever comes next tries again. */
export function unasked(flight: Flight, now: Date, judgement: Judgement): Verdicts {
  flight.close();
  const times = { freshUntil: now, validUntil: now };
  return new Map(
    flight.wishes().map(({ tag, digest }) => {
      return [wishKey({ tag, digest }), { tag, digest, also: [], judgement, ...times }];
    }),
  );
}
