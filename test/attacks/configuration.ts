import { stringify } from 'yaml';
import type { JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { loopback } from '#test/support/registry/outside-world.ts';
import { pinnedAway } from './away-vectors.ts';
import type { Corpus } from './corpus.ts';
import { keyedAuthority, keyedName } from './cosign-vectors.ts';
import { keylessAuthority, keylessName } from './keyless-vectors.ts';
import { urlOf } from './namespaces.ts';
import { demandingRules } from './rule-vectors.ts';
import { acceptedRoles } from './tuf-vectors.ts';
import type { StatedNamespace } from './vector.ts';

/** By their names in `world.yaml`. */
const demanding = [
  { name: 'cosign', verifiers: ['cosign'], need: 'either', authorities: [keyedName] },
  { name: 'keyless', verifiers: ['cosign'], need: 'either', authorities: [keylessName] },
  { name: 'both', verifiers: ['notary', 'cosign'], need: 'all', authorities: [keyedName] },
];

/** What the target has to be told of the servers of the attacks, as it stands in a configuration file. */
export function settingsFor({ outside }: Pick<Corpus, 'outside'>): JsonObject {
  const { run, host, hidden, other, ca } = outside;
  const addresses = [...loopback, '::1/128'];
  return {
    capabilities: ['image-trust'],
    imageTrust: {
      notary: {
        URL: urlOf(outside, 'platform'),
        roles: acceptedRoles,
        allowedRegistries: 'allowed.test/kyma,registry.example/allowed',
        pins: [pinnedAway(outside)],
      },
      hosts: [
        { host, ca, addresses },
        { host: other, ca, addresses },
        // Whoever speaks there is known; the address is not opened.
        { host: hidden, ca },
      ],
      // Whatever namespaces of the attacks name, so that what holds is the check of its address.
      userHosts: [host, other, hidden, ...spelled(host)],
      mirrors: [
        { of: 'registry.example', at: host },
        { of: 'docker.io', at: host },
      ],
      cosign: { authorities: [keyedAuthority, keylessAuthority(outside)] },
      registries: demandingRules(outside),
      namespaces: demanding.map(({ name, ...rule }) => ({
        names: [`attack-${run}-${name}`],
        ...rule,
      })),
      connectionsPerHost: 64,
    },
  };
}

/** This machine and its cloud's metadata, as URLs spell them. */
function spelled(host: string): readonly string[] {
  const port = host.replace(/.*:/, '');
  const here = ['127.0.0.1', '[::ffff:7f00:1]', '0.0.0.0'];
  return [...here.map((address) => `${address}:${port}`), '169.254.169.254'];
}

export function manifestOf({ name, labels, annotations }: StatedNamespace): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { ...labels }, annotations: { ...annotations } },
  };
}

/** By their names. */
export type Files = Readonly<Record<'gatehouse.yaml' | 'namespaces.yaml', string>>;

/** The configuration that the target needs, and the namespaces that its cluster has to have. */
export function filesFor(corpus: Pick<Corpus, 'outside' | 'namespaces'>): Files {
  return {
    'gatehouse.yaml': stringify(settingsFor(corpus)),
    'namespaces.yaml': corpus.namespaces.map((each) => stringify(manifestOf(each))).join('---\n'),
  };
}

export function printed(files: Files): string {
  return Object.entries(files)
    .map(([name, text]) => `# ${name}\n${text}`)
    .join('---\n');
}
