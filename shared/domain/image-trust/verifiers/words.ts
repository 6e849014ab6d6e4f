import type { RepositoryPlace } from '../../registry/keyring.ts';
import type { TrustRules } from '../rules.ts';
import type { ImageTrustSettings } from '../settings.ts';
import type { TrustFiles } from '../trust-files.ts';

/** What is asked for where a namespace is judged. */
export type Wanted = {
  readonly settings: ImageTrustSettings;
  /** By name, of those that the rule asks; all of them where it names none. */
  readonly authorities: readonly string[];
  /** The Notary of whoever decides here: the platform's, or the one that the namespace names. */
  readonly notary: { readonly url: string; readonly reach: 'public' | 'internal' };
};

/** Of which name, on whose behalf, and as it is configured. */
export type Basis = {
  readonly gun: string;
  /** Where it is pulled by another name than it is signed by. */
  readonly pulledAs: string | undefined;
  readonly owner: TrustRules['owner'];
  readonly settings: ImageTrustSettings;
  readonly files: Pick<TrustFiles, 'hashOf'>;
};

/** What has to be known of a verifier where nobody is asked yet: V is all that a rule says of it. */
export type VerifierWords<V> = {
  /** Whether it could vouch for anything. */
  isConfigured(settings: ImageTrustSettings): boolean;
  wanted(wanted: Wanted): V;
  /** Whether it could vouch for an image of this name, whatever its registry has. */
  answersFor(verifier: V, image: RepositoryPlace, settings: ImageTrustSettings): boolean;
  /** Whom its verdicts are of; empty where it is the image's own registry. */
  serverOf(verifier: V): string;
  /** Whether it looks at what it vouches for: its verdicts say then of what images a list is. */
  readonly readsManifests: boolean;
  /** Files that say whom it trusts, as the settings name them. */
  filesIn(settings: ImageTrustSettings): readonly string[];
  /** All that its verdicts hold for: plain data, whose text is hashed. */
  basisOf(verifier: V, basis: Basis): unknown;
  /** For people, beside its name. */
  detailOf(verifier: V): string;
};
