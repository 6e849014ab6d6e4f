import { createPublicKey, type KeyObject } from 'node:crypto';
import type { TrustMaterial } from '@sigstore/verify';
import { type Claimed, flawOfClaim } from '#shared/domain/image-trust/cosign/claim.ts';
import { flawed, type Tried } from '#shared/domain/image-trust/cosign/conclusion.ts';
import type { Authority, Keyless } from '#shared/domain/image-trust/cosign/settings.ts';
import { proveKeyless } from './keyless.ts';
import type { Opened } from './opened.ts';
import { fingerprint, isSignedBy } from './public-key.ts';

/** An authority, and what its signatures are checked with. */
export type Witness = {
  readonly authority: Authority;
  readonly means:
    | { readonly kind: 'keys'; readonly keys: readonly KeyObject[] }
    | { readonly kind: 'keyless'; readonly wanted: Keyless; readonly root: TrustMaterial }
    | { readonly kind: 'none'; readonly note: string };
};

export async function meansOf(
  authority: Authority,
  rootOf: (path: string) => Promise<TrustMaterial | undefined>,
): Promise<Witness> {
  const { keyless, keys } = authority;
  if (keyless === undefined) return { authority, means: { kind: 'keys', keys: keysOf(keys) } };
  const root = await rootOf(keyless.trustedRoot);
  if (root !== undefined) return { authority, means: { kind: 'keyless', wanted: keyless, root } };
  const note = `${authority.name}: its trusted root cannot be read`;
  return { authority, means: { kind: 'none', note } };
}

/** The claim first: it costs nothing, and most of what is copied from elsewhere fails it. */
export function vouch(opened: Opened, { authority, means }: Witness, claimed: Claimed): Tried {
  const flaws = opened.claims.map((claim) => flawOfClaim(claim, claimed, authority));
  const [first] = flaws;
  if (!flaws.includes(undefined)) return flawed(first ?? 'malformed', authority);
  switch (means.kind) {
    case 'none':
      return { kind: 'no-root', note: means.note };
    case 'keys':
      return byKey(opened, authority, means.keys);
    case 'keyless': {
      const proven = proveKeyless(opened, means.wanted, means.root);
      return proven.kind === 'signer'
        ? { kind: 'vouched', authority, keys: [`${proven.subject} (${proven.issuer})`] }
        : flawed(proven.why, authority);
    }
  }
}

function byKey(opened: Opened, authority: Authority, keys: readonly KeyObject[]): Tried {
  const key = keys.find((each) => isSignedBy(each, opened));
  return key === undefined
    ? flawed('signature', authority)
    : { kind: 'vouched', authority, keys: [fingerprint(key)] };
}

/** One that cannot be read vouches for nothing, and spoils none of the others. */
function keysOf(pems: readonly string[]): readonly KeyObject[] {
  return pems.flatMap((pem) => {
    try {
      return [createPublicKey(pem)];
    } catch {
      return [];
    }
  });
}
