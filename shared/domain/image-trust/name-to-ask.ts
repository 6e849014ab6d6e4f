import { canonical, type ImageName } from '../image.ts';
import { allowedBy } from './allow-list.ts';
import type { Judgement } from './judgement.ts';
import type { TrustRules } from './rules.ts';
import { type OriginOf, signedName } from './signed-name.ts';

export type NameToAsk =
  | { readonly kind: 'ask'; readonly signed: ImageName; readonly pulled: ImageName }
  /** Its name alone says it. */
  | { readonly kind: 'told'; readonly judgement: Judgement };

/** Under which name somebody has to be asked, if anybody has to. */
export function nameToAsk(
  image: string,
  originOf: OriginOf,
  { allowed }: Pick<TrustRules, 'allowed'>,
): NameToAsk {
  const named = signedName(image, originOf);
  if (named.kind === 'bad') return bad(named.why);
  const { signed, pulled } = named;
  const entry = allowedBy(canonical(signed), allowed);
  if (entry !== undefined) return { kind: 'told', judgement: { kind: 'allowed', entry } };
  // What needs no signature needs no digest that could be signed.
  const why = whyNoDigest(pulled);
  if (why !== undefined) return bad(why);
  return { kind: 'ask', signed: inOneCase(signed), pulled: inOneCase(pulled) };
}

/** What is found out is kept for all spellings of a host: nobody who finds it out may see which of them it was. */
function inOneCase(image: ImageName): ImageName {
  return { ...image, registry: image.registry.toLowerCase() };
}

function bad(why: string): NameToAsk {
  return { kind: 'told', judgement: { kind: 'untrusted', why: 'bad-reference', note: why } };
}

function whyNoDigest({ original, digest }: ImageName): string | undefined {
  if (digest === undefined || digest.startsWith('sha256:')) return undefined;
  return `${original}: only digests by sha256 are signed`;
}
