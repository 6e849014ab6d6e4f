import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';

export type Signing = {
  signed(claims: JsonObject): string;
  /** The claims of a token that this key has signed. */
  verified(token: string): Verified;
  /** Served at `/openid/v1/jwks`. */
  readonly keySet: JsonObject;
  readonly algorithm: 'ES256' | 'RS256';
};

export type Verified =
  | { readonly kind: 'claims'; readonly claims: JsonObject }
  /** Something else than a token of this kind: another authenticator may know it. */
  | { readonly kind: 'stranger' }
  | { readonly kind: 'forged' };

/** PEM. A curve's key is made at once, an RSA key takes a tenth of a second. */
export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

export function openSigning(pem: string): Signing {
  const key = createPrivateKey(pem);
  const algorithm = key.asymmetricKeyType === 'rsa' ? 'RS256' : 'ES256';
  const publicKey = createPublicKey(pem);
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const kid = createHash('sha256').update(der).digest('base64url');
  const header = encoded({ alg: algorithm, kid });
  const known = new Map<string, Verified>();
  return {
    algorithm,
    keySet: { keys: [{ use: 'sig', kid, alg: algorithm, ...jwkOf(publicKey) }] },
    signed(claims) {
      const head = `${header}.${encoded(claims)}`;
      return `${head}.${sign('sha256', Buffer.from(head), withEncoding(key)).toString('base64url')}`;
    },
    verified(token) {
      const found = known.get(token) ?? verifiedBy(publicKey, token);
      // Every request brings its token along; a signature that was right stays right.
      if (known.size > 1_000) known.clear();
      known.set(token, found);
      return found;
    },
  };
}

function verifiedBy(key: KeyObject, token: string): Verified {
  const [header = '', body = '', signature = '', ...more] = token.split('.');
  const claims = decoded(body);
  if (claims === undefined || decoded(header) === undefined || more.length > 0) return stranger;
  // The header may say what it wants: there is one key, and one algorithm for it.
  const signed = Buffer.from(`${header}.${body}`);
  const isOwn = verify('sha256', signed, withEncoding(key), Buffer.from(signature, 'base64url'));
  return isOwn ? { kind: 'claims', claims } : { kind: 'forged' };
}

const stranger: Verified = { kind: 'stranger' };

function withEncoding(key: KeyObject) {
  return { key, dsaEncoding: 'ieee-p1363' } as const;
}

function jwkOf(key: KeyObject): JsonObject {
  const jwk = Object.entries(key.export({ format: 'jwk' }));
  return Object.fromEntries(jwk.map(([name, value]) => [name, String(value)]));
}

function encoded(object: JsonObject): string {
  return Buffer.from(JSON.stringify(object)).toString('base64url');
}

function decoded(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
