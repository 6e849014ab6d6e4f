import { type CosignVerifier, cosign } from './verifiers/cosign.ts';
import { type NotaryVerifier, notary } from './verifiers/notary.ts';
import type { VerifierWords } from './verifiers/words.ts';

/** Who can vouch. A new one is a file beside the two, its lines here, and where it is opened: none of it compiles without the rest. */
export const verifierKinds = ['notary', 'cosign'] as const;
export type VerifierKind = (typeof verifierKinds)[number];

/** What a rule says of each. */
export type Verifiers = {
  readonly notary: NotaryVerifier;
  readonly cosign: CosignVerifier;
};

/** Of the settings, under its own name. */
export const sections = {
  notary: notary.settings,
  cosign: cosign.settings,
} satisfies Readonly<Record<VerifierKind, unknown>>;

const words: { readonly [K in VerifierKind]: VerifierWords<Verifiers[K]> } = {
  notary: notary.words,
  cosign: cosign.words,
};

export type Verifier = Verifiers[VerifierKind];

export function wordsFor<K extends VerifierKind>(kind: K): VerifierWords<Verifiers[K]> {
  return words[kind];
}
