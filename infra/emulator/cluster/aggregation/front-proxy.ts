import { issueCa } from '#shared/adapters/certificates/issue.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { ClientCertificate } from '../admission/reaching/connections.ts';
import { issueClient } from '../state/client-certificate.ts';

/** By which an aggregated server knows that it is this one that tells it who asks. */
export const frontProxyName = 'front-proxy-client';

export type FrontProxy = ClientCertificate & {
  /** An authority of its own: with that of the users, each of them could speak for all others. */
  readonly ca: string;
};

type Lifetime = { readonly notBefore: Date; readonly notAfter: Date };

export async function issueFrontProxy(life: Lifetime): Promise<FrontProxy> {
  const ca = await issueCa(life);
  const client = await issueClient({ ca, user: frontProxyName, groups: [], ...life });
  return { ca: ca.certificate, cert: client.certificate, key: client.key };
}

/** What an aggregated server reads at its start, to know whom to believe. */
export function extensionAuthentication(clientCa: string, frontProxyCa: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' },
    data: {
      'client-ca-file': clientCa,
      'requestheader-allowed-names': JSON.stringify([frontProxyName]),
      'requestheader-client-ca-file': frontProxyCa,
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    },
  };
}
