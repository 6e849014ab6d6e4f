import type { TrustRules } from './rules.ts';
import type { ImageTrustSettings } from './settings.ts';
import type { TrustFiles } from './trust-files.ts';
import { type VerifierKind, type Verifiers, wordsFor } from './verifiers.ts';

/** What a verdict holds for: whatever is another here is judged anew. */
export type TrustBasis = {
  readonly owner: TrustRules['owner'];
  /** The name that is signed. */
  readonly gun: string;
  /** The name that it is pulled by, where that is another one. */
  readonly pulledAs: string | undefined;
  readonly settings: ImageTrustSettings;
  readonly files: Pick<TrustFiles, 'hashOf'>;
};

/** All of it but the trusted root, which is learnt later and stands beside it: in one order, to be hashed. */
export function trustText<K extends VerifierKind>(
  verifier: Verifiers[K] & { readonly kind: K },
  basis: TrustBasis,
): string {
  const { owner, gun, settings } = basis;
  const own = wordsFor(verifier.kind).basisOf(verifier, basis);
  // Verdicts of before counted what a manifest merely said to be its configuration.
  const configuration = settings.acceptConfigDigest ? 'looked-at' : false;
  return JSON.stringify([verifier.kind, ownerName(owner), gun, configuration, own]);
}

/** Empty for the platform: no namespace is called so. */
export function ownerName(owner: TrustRules['owner']): string {
  return owner === 'platform' ? '' : owner.namespace;
}
