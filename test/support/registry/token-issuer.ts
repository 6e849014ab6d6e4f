import { sign, X509Certificate } from 'node:crypto';
import type { KeyPair } from '#shared/ports.ts';

export type Grant = { readonly user: string; readonly scope: string; readonly seconds?: number };

/** A token as docker-registry takes it: signed by the key of a certificate that it trusts. */
export function issueToken(issuer: KeyPair, { user, scope, seconds = 300 }: Grant): string {
  const [type = '', ...rest] = scope.split(':');
  const actions = (rest.pop() ?? '').split(',');
  const now = Math.floor(Date.now() / 1000);
  const certificate = new X509Certificate(issuer.certificate).raw.toString('base64');
  const head = { typ: 'JWT', alg: 'ES256', x5c: [certificate] };
  const claims = {
    iss: 'test-issuer',
    sub: user,
    aud: 'test-registry',
    iat: now - 10,
    nbf: now - 10,
    exp: now + seconds,
    jti: `${user} ${scope} ${now}`,
    access: [{ type, name: rest.join(':'), actions }],
  };
  const text = [head, claims].map((part) => encoded(JSON.stringify(part))).join('.');
  const key = { key: issuer.key, dsaEncoding: 'ieee-p1363' } as const;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}
