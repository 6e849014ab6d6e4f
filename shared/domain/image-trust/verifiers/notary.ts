import { choice, flag, list, preset, refine, section, strictRecord, text } from '../../decode.ts';
import { isDuration } from '../../duration.ts';
import { originalSections } from '../original-settings.ts';
import { isServer, pinsFor } from '../pins-for.ts';
import { isDelegation, isPrefixOfGuns } from '../tuf/names.ts';
import { pinFor, usualRoles } from '../tuf/trust.ts';
import type { VerifierWords } from './words.ts';

export type NotaryVerifier = {
  readonly kind: 'notary';
  readonly url: string;
  /** What a namespace names is looked for among public addresses alone. */
  readonly reach: 'public' | 'internal';
  /** Accepted, the first that names a target decides. */
  readonly roles: readonly string[];
};

const role = refine(
  text,
  (name) => name === 'targets' || isDelegation(name),
  'targets or a delegation such as targets/releases',
);
const pem = refine(text, (value) => value.includes('-----BEGIN'), 'a PEM text');

const pin = strictRecord({
  server: preset(
    refine(text, isServer, 'the URL of a Notary, as namespaces name it'),
    '',
    "Whose roots: the URL of a Notary that namespaces may name; empty for the platform's own.",
  ),
  prefix: preset(
    refine(text, isPrefixOfGuns, 'the beginning of a name, such as registry.example/team'),
    '',
    'Of names, at segment borders; empty for all. The longest decides.',
  ),
  keyIds: preset(list(text), [], 'Of root keys, as `notary key list` has them.'),
  certificates: preset(list(pem), [], 'PEM: of a root key, or of an authority that issued one.'),
});

const settings = section(
  {
    ...originalSections.notary,
    roles: preset(
      refine(list(role), (roles) => roles.length > 0, 'at least one role'),
      [...usualRoles],
      'Who may name an image; the first that does decides.',
    ),
    firstUse: preset(
      choice('allow', 'refuse'),
      'allow',
      'What to do with a root that nobody has seen and no pin covers: with refuse, of the Notaries that namespaces name only those can be used whose roots are pinned by server.',
    ),
    secret: preset(
      text,
      '',
      "A pull secret in Gatehouse's own namespace with the platform's login at its Notary, by the Notary's host.",
    ),
    pins: preset(list(pin), [], 'Which roots may be trusted without having been seen.'),
    warnBefore: preset(
      refine(text, isDuration, 'a duration such as 336h'),
      '336h',
      'How long before what proves an image has to be signed anew whoever makes or runs it is warned; 0 for never.',
    ),
    oldDockerNames: preset(
      flag,
      false,
      'The images of docker.io are looked for under index.docker.io/…, as upstream does.',
    ),
  },
  "The Notary of the platform, and what is asked of a user's.",
);

const words: VerifierWords<NotaryVerifier> = {
  isConfigured: ({ notary }) => notary.URL !== '',
  wanted: ({ notary, settings }) => ({ kind: 'notary', ...notary, roles: settings.notary.roles }),
  answersFor: () => true,
  // A slash at its end makes no other server of it.
  serverOf: ({ url }) => url.replace(/\/+$/, ''),
  readsManifests: false,
  filesIn: () => [],
  basisOf({ url, reach, roles }, { gun, owner, settings: { notary } }) {
    const pin = pinFor({ gun, pins: pinsFor(url, owner, notary) });
    return [url, reach, roles, pin && [pin.prefix, pin.keyIds, pin.certificates]];
  },
  detailOf: () => '',
};

export const notary = { settings, words };
