import { type Adoption, planAdoption } from '#shared/domain/certificates/adoption.ts';
import { type CertificateReader, isTrusted } from '#shared/domain/certificates/certificate.ts';
import { bundleOf, certificatesIn } from '#shared/domain/certificates/pem.ts';
import type { Observed, Settling } from '#shared/domain/certificates/settling.ts';
import type { Condition } from '#shared/domain/condition.ts';
import type { Offered, Served } from './offer.ts';

export type ServingState = {
  readonly served: Served | undefined;
  /** Good, but API servers do not know its CA yet. */
  readonly held: Served | undefined;
  readonly settling: Settling | undefined;
  /** Callers may be a settle time behind with what they think is served. */
  readonly before: { readonly authorities: string; readonly until: Date } | undefined;
  readonly condition: Condition;
};

const name = 'serving-certificate';

export const nothingServed: ServingState = {
  served: undefined,
  held: undefined,
  settling: undefined,
  before: undefined,
  condition: { name, holds: false, why: 'nothing is served yet' },
};

export type Look = {
  readonly now: Date;
  readonly settleMs: number;
  readonly reader: CertificateReader;
  /** Asked only where it matters. */
  readonly observe: (pair: Served) => Promise<Observed | 'unseen'>;
};

export async function nextState(
  state: ServingState,
  offered: Offered,
  look: Look,
): Promise<ServingState> {
  if (offered.kind === 'none') return keeping(state, 'no certificate is there');
  if (offered.kind === 'bad') return keeping(state, offered.why);
  if (state.served !== undefined && isSame(state.served, offered.pair)) {
    // Why it was taken up stays on record, until something else happens.
    const asBefore = state.condition.holds && state.held === undefined;
    const condition = asBefore ? state.condition : fine('it is served');
    return { ...state, held: undefined, settling: undefined, condition };
  }
  const adoption = await decide(state, offered, look);
  return adoption.kind === 'adopt'
    ? adopted(state, offered.pair, { look, why: adoption.why })
    : {
        ...state,
        held: offered.pair,
        settling: adoption.settling,
        condition: fine(`the next one waits: ${adoption.why}`),
      };
}

/** The last good pair stays, whatever became of what is offered. */
export function keeping(state: ServingState, why: string): ServingState {
  const kept = state.served === undefined ? 'nothing is served' : 'the last good one is served';
  return { ...state, condition: { name, holds: false, why: `${why}; ${kept}` } };
}

/** What callers must trust for what is served, was served until just now, or will be served next. */
export function authoritiesOf({ served, held, before }: ServingState, now: Date): string {
  const late = before !== undefined && before.until > now ? before.authorities : '';
  return bundleOf(late, served?.authorities, held?.authorities);
}

async function decide(
  { served, held, settling }: ServingState,
  { pair, isVouched }: Offered & { readonly kind: 'good' },
  { now, settleMs, reader, observe }: Look,
): Promise<Adoption> {
  const chain = certificatesIn(pair.certificate);
  const isKnown =
    isVouched ||
    served?.certificate === pair.certificate ||
    (served !== undefined && isTrusted(reader, chain, certificatesIn(served.authorities)));
  const mustAsk = served !== undefined && !isKnown;
  return planAdoption(
    {
      servedUntil: served?.notAfter,
      isKnown,
      bundles: mustAsk ? await observe(pair) : 'unseen',
      settling: held !== undefined && isSame(held, pair) ? settling : undefined,
    },
    { now, settleMs },
  );
}

function adopted(
  { served }: ServingState,
  pair: Served,
  { look, why }: { readonly look: Look; readonly why: string },
): ServingState {
  const until = new Date(look.now.getTime() + look.settleMs);
  return {
    served: pair,
    held: undefined,
    settling: undefined,
    before: served && { authorities: served.authorities, until },
    condition: fine(`taken up: ${why}`),
  };
}

function isSame(a: Served, b: Served): boolean {
  return a.certificate === b.certificate && a.key === b.key && a.authorities === b.authorities;
}

function fine(why: string): Condition {
  return { name, holds: true, why };
}
