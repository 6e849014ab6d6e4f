import { randomBytes } from 'node:crypto';
import { issueCa, issueLeaf } from '#shared/adapters/certificates/issue.ts';
import { newSigningKey } from '../access/tokens/signing.ts';
import { issueClient } from './client-certificate.ts';
import type { Keys } from './keys.ts';

const yearMs = 365 * 86_400_000;

const names = [
  ...['127.0.0.1', '::1', '10.96.0.1', 'localhost', 'kubernetes', 'kubernetes.default'],
  ...['kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'],
];

export async function newKeys(now: Date): Promise<Keys> {
  // A clock that is a little behind shall not refuse them.
  const life = {
    notBefore: new Date(now.getTime() - 60_000),
    notAfter: new Date(now.getTime() + yearMs),
  };
  const ca = await issueCa(life);
  const frontProxyCa = await issueCa(life);
  const [leaf, admin, frontProxy] = await Promise.all([
    issueLeaf({ ca, dnsNames: names, ...life }),
    issueClient({ ca, user: 'kubernetes-admin', groups: ['system:masters'], ...life }),
    issueClient({ ca: frontProxyCa, user: 'front-proxy-client', groups: [], ...life }),
  ]);
  return {
    ...{ ca, leaf, admin, frontProxy, frontProxyCa: frontProxyCa.certificate },
    signingKey: newSigningKey(),
    adminToken: randomBytes(24).toString('base64url'),
    notAfter: life.notAfter.toISOString(),
  };
}
