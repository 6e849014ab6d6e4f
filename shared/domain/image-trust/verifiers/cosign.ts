import { section } from '../../decode.ts';
import { authorities } from '../cosign/settings.ts';
import type { VerifierWords } from './words.ts';

export type CosignVerifier = {
  readonly kind: 'cosign';
  /** Names of `imageTrust.cosign.authorities`; all of them where it is empty. */
  readonly authorities: readonly string[];
};

const words: VerifierWords<CosignVerifier> = {
  isConfigured: ({ cosign }) => cosign.authorities.length > 0,
  wanted: ({ authorities }) => ({ kind: 'cosign', authorities }),
  serverOf: () => '',
  readsManifests: true,
  filesIn: ({ cosign }) => cosign.authorities.flatMap(({ keyless }) => keyless?.trustedRoot ?? []),
  // A root that was replaced under the same name is another one.
  basisOf: (verifier, { settings, files }) => [
    settings.cosign.authorities
      .filter(({ name }) => isAsked(name, verifier))
      .map((each) => [
        JSON.stringify(each),
        each.keyless && files.hashOf(each.keyless.trustedRoot),
      ]),
  ],
  detailOf: ({ authorities }) => authorities.join(', '),
};

export function isAsked(name: string, { authorities }: CosignVerifier): boolean {
  return authorities.length === 0 || authorities.includes(name);
}

export const cosign = { settings: section({ authorities }, 'Signatures by cosign.'), words };
