import type { TrustRules, Verifier } from './rules.ts';
import { type Pin, pinFor } from './tuf/trust.ts';

/** What a verdict holds for: whatever is another here is judged anew. */
export type TrustBasis = {
  readonly verifier: Verifier;
  readonly owner: TrustRules['owner'];
  /** The name that is signed. */
  readonly gun: string;
  readonly pins: readonly Pin[];
  readonly acceptConfigDigest: boolean;
  /** Of cosign: what its authorities are, by their names. */
  readonly authorities: readonly string[];
};

/** All of it but the trusted root, which is learnt later and stands beside it: in one order, to be hashed. */
export function trustText(basis: TrustBasis): string {
  const { verifier, owner, gun, pins, acceptConfigDigest, authorities } = basis;
  const pin = pinFor({ gun, pins });
  const own = verifier.kind === 'notary' ? notaryText(verifier, pin) : [authorities];
  return JSON.stringify([verifier.kind, ownerName(owner), gun, acceptConfigDigest, own]);
}

function notaryText(
  { url, reach, roles }: Extract<Verifier, { kind: 'notary' }>,
  pin: Pin | undefined,
): unknown {
  return [url, reach, roles, pin && [pin.prefix, pin.keyIds, pin.certificates]];
}

/** Empty for the platform: no namespace is called so. */
export function ownerName(owner: TrustRules['owner']): string {
  return owner === 'platform' ? '' : owner.namespace;
}
