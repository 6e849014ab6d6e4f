import {
  choice,
  type Decoded,
  dictionary,
  list,
  maybe,
  preset,
  refine,
  strictRecord,
  text,
} from '../../decode.ts';
import { isDuration, parseDuration } from '../../duration.ts';
import { isPattern } from './identity.ts';

const pem = refine(
  text,
  (source) =>
    /^\s*-----BEGIN (?:RSA )?PUBLIC KEY-----\s[^-]+-----END (?:RSA )?PUBLIC KEY-----\s*$/.test(
      source,
    ),
  'a public key in PEM form',
);

const name = refine(
  text,
  (source) => /^[a-z0-9](?:[-.a-z0-9]{0,61}[a-z0-9])?$/.test(source),
  'a name such as release-team',
);

const keyless = refine(
  strictRecord({
    /** As the certificate names it: `https://token.actions.githubusercontent.com`. */
    issuer: refine(text, (source) => source !== '', 'whom the certificate names as issuer'),
    identity: preset(text, '', 'Whom it names as the one who signed.'),
    identityPattern: preset(
      refine(text, (source) => source === '' || isPattern(source), 'a regular expression'),
      '',
      'Or a pattern of it.',
    ),
    /** A file; without one the public instance's, as it was when this version was made. */
    trustedRoot: preset(text, '', 'A file with whom to trust.'),
  }),
  ({ identity, identityPattern }) => (identity === '') !== (identityPattern === ''),
  'either an identity or an identityPattern',
);

/** Somebody whose signatures count: by keys, or by who they were when they signed. */
export const authority = refine(
  strictRecord({
    name,
    prefixes: preset(
      list(text),
      [],
      'Registries and repositories that it answers for, at segment borders; all of them where none is named.',
    ),
    keys: preset(list(pem), [], 'Public keys in PEM form; one of them is enough.'),
    keyless: maybe(keyless),
    annotations: preset(
      dictionary(text),
      {},
      'What has to stand in the signed payload beside the digest.',
    ),
    signedName: preset(
      choice('if-stated', 'required', 'ignored'),
      'if-stated',
      "Whether the repository that the signature names has to be the image's. Bundles of cosign 3 name none: they vouch for their digest in every repository that `prefixes` leaves the authority.",
    ),
    servesFor: preset(
      refine(
        text,
        (source) => isDuration(source) && (parseDuration(source) ?? 0) > 0,
        'a duration such as 24h',
      ),
      '24h',
      'A signature has no end: how long what it proved still serves while the registry cannot be asked.',
    ),
  }),
  ({ keys, keyless }) => keys.length > 0 !== (keyless !== undefined),
  'either keys or keyless',
);

/** Stands as `imageTrust.cosign.authorities`. */
export const authorities = preset(
  refine(
    list(authority),
    (all) => new Set(all.map((each) => each.name)).size === all.length,
    'no name twice',
  ),
  [],
  'Whose cosign signatures count.',
);

export type Authority = Decoded<typeof authority>;
export type Keyless = NonNullable<Authority['keyless']>;
