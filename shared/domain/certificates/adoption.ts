import { type Observed, progressOf, type Settling } from './settling.ts';

/** A certificate that a replica could serve instead of the one it serves. */
export type Offer = {
  /** Of what is served now; `undefined` where nothing is. */
  readonly servedUntil: Date | undefined;
  /** Whoever accepts what is served accepts the offer as well, or the rotation says that everybody does. */
  readonly isKnown: boolean;
  /** Whether the bundles verify it; `unseen` where there is no cluster to ask. */
  readonly bundles: Observed | 'unseen';
  readonly settling: Settling | undefined;
};

export type Adoption =
  | { readonly kind: 'adopt'; readonly why: string }
  | { readonly kind: 'hold'; readonly why: string; readonly settling: Settling | undefined };

/** The next look may come after the end. */
const lastMomentMs = 2_000;

/** Whether to serve it now. Too late costs nothing while the old one is valid; too early costs every call. */
export function planAdoption(
  { servedUntil, isKnown, bundles, settling }: Offer,
  at: { readonly now: Date; readonly settleMs: number },
): Adoption {
  if (servedUntil === undefined) return adopt('nothing is served yet');
  if (servedUntil.getTime() - at.now.getTime() <= lastMomentMs) {
    return adopt('what is served expires');
  }
  if (isKnown) return adopt('API servers know its CA');
  if (bundles === 'unseen') return adopt('no cluster can be asked whether API servers know its CA');
  if (bundles.version === '')
    return adopt('there is no webhook configuration that could lack its CA');

  const progress = progressOf(bundles, settling, at);
  switch (progress.kind) {
    case 'lacking':
      return hold(`its CA is not yet in ${bundles.lacking.join(', ')}`, undefined);
    case 'begins':
      return hold('API servers learn of its CA', progress.settling);
    case 'settles':
      return hold('API servers learn of its CA', settling);
    case 'settled':
      return adopt('every bundle carries its CA');
  }
}

function adopt(why: string): Adoption {
  return { kind: 'adopt', why };
}

function hold(why: string, settling: Settling | undefined): Adoption {
  return { kind: 'hold', why, settling };
}
