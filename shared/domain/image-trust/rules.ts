import type { Verifier } from './verifiers.ts';

/** Who is asked about an image. */
export type Vouching = {
  readonly verifiers: readonly [Verifier, ...Verifier[]];
  /** How many of them have to vouch. */
  readonly need: 'either' | 'all';
};

/** Of the images of one registry, or below one path. */
export type RegistryRule = Vouching & { readonly prefix: string };

/** Who has to have signed what runs in a namespace. Pure data: what is stored is stored by it. */
export type TrustRules = Vouching & {
  /** The longest prefix decides, at segment borders, and with it nothing of what holds for the others. */
  readonly registries: readonly RegistryRule[];
  /** Parsed references, at segment borders; `eu.example.io/kyma` does not allow `eu.example.io/kyma-evil`. */
  readonly allowed: readonly string[];
  /** Whose rules: a first use of a user's own Notary is the namespace's alone. */
  readonly owner: 'platform' | { readonly namespace: string };
  /** How long a lookup of one image may take. */
  readonly timeoutMs: number;
};

/** What a namespace's labels and annotations say, with the settings. */
export type NamespaceTrust =
  | { readonly kind: 'off' }
  | {
      readonly kind: 'rules';
      readonly mode: TrustMode;
      readonly rules: TrustRules;
      readonly isStrict: boolean;
    }
  /** Its annotations do not hold together: all images are refused with these reasons. */
  | {
      readonly kind: 'broken';
      readonly mode: 'user';
      readonly problems: readonly [string, ...string[]];
    };

/** `enabled` is the deprecated name of `system`. */
export type TrustMode = 'system' | 'user';
