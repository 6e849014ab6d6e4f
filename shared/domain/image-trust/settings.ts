import {
  choice,
  type Decoded,
  dictionary,
  flag,
  integerFrom,
  list,
  maybe,
  preset,
  refine,
  section,
  strictRecord,
  text,
} from '../decode.ts';
import { isDuration, parseDuration } from '../duration.ts';
import { parseRange } from '../network-address.ts';
import { originalSections } from './original-settings.ts';
import { aPrefix, isEachOnce, isPrefix } from './registry-rules.ts';
import { sections, verifierKinds } from './verifiers.ts';

const duration = refine(text, isDuration, 'a duration such as 30s or 1h30m');
const host = refine(
  text,
  (name) => /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/.test(name),
  'a host as it stands in a URL, such as registry.example:5000',
);
const range = refine(
  text,
  (value) => parseRange(value) !== undefined,
  'a range of addresses such as 10.0.0.0/8',
);
/** `prod-*` would be nobody's name, and its namespaces would go by what holds for all others. */
const namespaceName = refine(
  text,
  (name) => /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name),
  'the name of a namespace; there are no patterns',
);
const pem = refine(text, (value) => value.includes('-----BEGIN'), 'a PEM text');

const outsideHost = strictRecord({
  host,
  plainHttp: preset(flag, false, 'Read without TLS.'),
  ca: maybe(pem),
  addresses: preset(
    list(range),
    [],
    'Where it may be found beside the public addresses; when a namespace names it only if it stands in `userHosts` too.',
  ),
});

const verifiers = refine(
  list(choice(...verifierKinds)),
  (names) => names.length > 0 && new Set(names).size === names.length,
  `at least one of ${verifierKinds.join(', ')}`,
);
const need = choice('either', 'all');
const vouching = { verifiers, need, authorities: maybe(list(text)) };

const registries = preset(
  refine(
    list(strictRecord({ prefix: refine(text, isPrefix, aPrefix), ...vouching })),
    (rules) => isEachOnce(rules.map(({ prefix }) => prefix)),
    'no prefix twice',
  ),
  [],
  'Other verifiers for the images of a registry or below a path, by the name that is signed; the longest prefix decides.',
);

const { admission, operator, logging } = originalSections;

const lifetimes = section(
  {
    fresh: preset(duration, '5m', 'A verdict this old is proven again.'),
    untrusted: preset(duration, '1m', 'How long a refusal serves.'),
    unavailable: preset(duration, '5s', 'The longest that an outage is remembered.'),
    tags: preset(duration, '5s', 'How long the digest of a tag is remembered.'),
    pullSecrets: preset(
      duration,
      '10s',
      "How long a pull secret is remembered, in memory alone. The kubelets' credential providers are never asked: what only they know needs a pull secret.",
    ),
  },
  'How long what was learnt serves.',
);

/** Warden's own settings stand here under their names; what is new stands beside them. */
const stated = section(
  {
    file: preset(text, '', "An original file of Warden's, read as it is: what it says goes first."),
    notary: sections.notary,
    admission,
    operator,
    logging,
    verifiers: preset(verifiers, ['notary'], 'Who may vouch for an image.'),
    need: preset(need, 'either', 'How many of them have to.'),
    namespaces: preset(
      list(strictRecord({ names: list(namespaceName), ...vouching, registries })),
      [],
      'Other verifiers for the namespaces named; the first that names one decides, and of the registries only its own count.',
    ),
    registries,
    cosign: sections.cosign,
    digests: preset(
      choice('pin', 'leave'),
      'pin',
      'pin: a tag is replaced by the digest that was verified. leave: admission by tag is advisory.',
    ),
    acceptConfigDigest: preset(
      flag,
      true,
      "A signature of the image's configuration counts as one of the image; deprecated upstream. To be switched off where nodes mount layers unread (lazy snapshotters: stargz, nydus, SOCI), which hold them to the manifest alone.",
    ),
    userOnFailure: preset(
      choice('deny', 'allow-with-warning'),
      'deny',
      'What becomes of a pod in a namespace in user mode while nobody can answer, or with a verified tag that was not pinned.',
    ),
    statusWriters: preset(
      list(text),
      [],
      "Users and groups that may write what is known of a pod's images, beside Gatehouse's own accounts.",
    ),
    userHosts: preset(
      list(host),
      [],
      'Whose Notary a namespace may name; any host with a public address where none is listed. Only a host that is listed is looked for at its `addresses` of `hosts` when a namespace names it.',
    ),
    hosts: preset(list(outsideHost), [], 'What differs from https at public addresses.'),
    mirrors: preset(
      list(strictRecord({ of: text, at: text })),
      [],
      'Registries that are asked before others: `of: docker.io`, `at: mirror.example/hub`.',
    ),
    tokenServers: preset(
      dictionary(list(host)),
      {},
      "By registry, or by Notary: whom its users' passwords may be shown to beside itself.",
    ),
    lifetimes,
    connectionsPerHost: preset(integerFrom(1, 256), 32, 'To one registry or Notary at a time.'),
  },
  'Image trust: only images whose signature verifies may run.',
);

export type ImageTrustSettings = Decoded<typeof stated>;

/** A name that nobody has would vouch for nothing, and say so months later. */
export const imageTrustSettings = refine(
  stated,
  ({ cosign, namespaces, registries }) => {
    const known = new Set(cosign.authorities.map(({ name }) => name));
    const rules = [...registries, ...namespaces.flatMap((own) => [own, ...own.registries])];
    return rules.every(({ authorities = [] }) => authorities.every((name) => known.has(name)));
  },
  'in namespaces and registries only authorities that stand in cosign.authorities',
);

/** Warden has them in one text with commas; a list is read as well. */
export function registriesIn(stated: string | readonly string[]): readonly string[] {
  const parts = typeof stated === 'string' ? stated.split(',') : stated;
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** The decoder has made sure that it is one. */
export function milliseconds(stated: string): number {
  return parseDuration(stated) ?? 0;
}
