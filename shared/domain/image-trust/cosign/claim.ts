import { type ImageName, parseImage } from '../../image.ts';
import type { Sha256Digest } from '../../registry/digest.ts';
import type { Authority } from './settings.ts';

/** What a signature is about, in the words of whoever signed it. */
export type Claim = {
  readonly digest: string;
  /** `registry.example/team/app`, with a tag at times; bundles name none. */
  readonly name: string | undefined;
  readonly annotations: Readonly<Record<string, string>>;
};

/** What the claim has to be about. */
export type Claimed = {
  readonly image: Pick<ImageName, 'registry' | 'repository' | 'tag'>;
  /** Of what the registry sends, hashed by us. */
  readonly digest: Sha256Digest;
};

export type ClaimFlaw = 'other-digest' | 'other-name' | 'no-name' | 'annotations';

type Terms = Pick<Authority, 'annotations' | 'signedName'>;

/** Whether it vouches for this very image: a signature of something else can be copied to any place. */
export function flawOfClaim(claim: Claim, claimed: Claimed, terms: Terms): ClaimFlaw | undefined {
  if (claim.digest !== claimed.digest) return 'other-digest';
  const flaw = flawOfName(claim.name, claimed, terms);
  if (flaw !== undefined) return flaw;
  const isComplete = Object.entries(terms.annotations).every(
    ([key, value]) => Object.hasOwn(claim.annotations, key) && claim.annotations[key] === value,
  );
  return isComplete ? undefined : 'annotations';
}

function flawOfName(
  name: string | undefined,
  claimed: Claimed,
  { signedName }: Terms,
): ClaimFlaw | undefined {
  if (signedName === 'ignored') return undefined;
  if (name === undefined) return signedName === 'required' ? 'no-name' : undefined;
  return isNameOf(name, claimed) ? undefined : 'other-name';
}

/** A tag that was signed too holds for that tag alone: 1.0 does not become 2.0. */
function isNameOf(name: string, { image, digest }: Claimed): boolean {
  const read = parseImage(name);
  if (!read.ok) return false;
  const stated = read.image;
  return (
    stated.registry.toLowerCase() === image.registry.toLowerCase() &&
    stated.repository === image.repository &&
    (stated.tag === undefined || image.tag === undefined || stated.tag === image.tag) &&
    (stated.digest === undefined || stated.digest === digest)
  );
}
