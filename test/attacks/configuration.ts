import type { JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { loopback } from '#test/support/registry/outside-world.ts';
import type { Corpus } from './corpus.ts';
import { authorities, demanding } from './cosign-vectors.ts';
import { urlOf } from './namespaces.ts';
import { acceptedRoles } from './tuf-vectors.ts';
import type { StatedNamespace } from './vector.ts';

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
      },
      hosts: [
        { host, ca, addresses },
        { host: other, ca, addresses },
        // Whoever speaks there is known; the address is not opened.
        { host: hidden, ca },
      ],
      mirrors: [
        { of: 'registry.example', at: host },
        { of: 'docker.io', at: host },
      ],
      cosign: { authorities },
      namespaces: demanding.map(({ name, verifiers, need }) => ({
        names: [`attack-${run}-${name}`],
        ...{ verifiers, need },
      })),
      connectionsPerHost: 64,
    },
  };
}

export function manifestOf({ name, labels, annotations }: StatedNamespace): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { ...labels }, annotations: { ...annotations } },
  };
}
