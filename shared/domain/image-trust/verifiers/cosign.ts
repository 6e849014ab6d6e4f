import { section } from '../../decode.ts';
import { answering } from '../cosign/authority.ts';
import { type Authority, authorities } from '../cosign/settings.ts';
import type { ImageTrustSettings } from '../settings.ts';
import type { VerifierWords } from './words.ts';

export type CosignVerifier = {
  readonly kind: 'cosign';
  /** Names of `imageTrust.cosign.authorities`; all of them where it is empty. */
  readonly authorities: readonly string[];
};

const words: VerifierWords<CosignVerifier> = {
  isConfigured: ({ cosign }) => cosign.authorities.length > 0,
  wanted: ({ authorities }) => ({ kind: 'cosign', authorities }),
  answersFor: (verifier, image, settings) =>
    answering(image, askedIn(verifier, settings)).length > 0,
  serverOf: () => '',
  readsManifests: true,
  filesIn: ({ cosign }) => cosign.authorities.flatMap(({ keyless }) => keyless?.trustedRoot ?? []),
  // A root that was replaced under the same name is another one. Signatures lie where an image is pulled from, too.
  basisOf: (verifier, { pulledAs, settings, files }) => [
    ...(pulledAs === undefined ? [] : [pulledAs]),
    askedIn(verifier, settings).map((each) => [
      JSON.stringify(each),
      each.keyless && files.hashOf(each.keyless.trustedRoot),
    ]),
  ],
  detailOf: ({ authorities }) => authorities.join(', '),
};

export function askedIn(
  { authorities }: CosignVerifier,
  { cosign }: Pick<ImageTrustSettings, 'cosign'>,
): readonly Authority[] {
  return cosign.authorities.filter(
    ({ name }) => authorities.length === 0 || authorities.includes(name),
  );
}

export const cosign = { settings: section({ authorities }, 'Signatures by cosign.'), words };
