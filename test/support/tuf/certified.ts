import { type KeyObject, KeyObject as NodeKey, webcrypto } from 'node:crypto';
// First: the library refuses to load without it.
import '#shared/adapters/certificates/reflection.ts';
import * as x509 from '@peculiar/x509';

import { moved } from './present.ts';

x509.cryptoProvider.set(webcrypto);

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const rsa = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
} as const;

export type Certified = { readonly pem: string; readonly privateKey: KeyObject };

export type Wish = {
  /** Empty: a certificate that says of nobody that he is its subject, as the form allows. */
  readonly commonName: string;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly isAuthority?: boolean;
  readonly kind?: 'ecdsa' | 'rsa' | 'short-rsa' | 'sha1-rsa';
  readonly issuer?: Issuer;
};

export type Issuer = { readonly name: string; readonly keys: webcrypto.CryptoKeyPair };

/** A certificate as Notary's client makes them, or as it should not. */
export async function certified(wish: Wish): Promise<Certified & { readonly issuer: Issuer }> {
  const { commonName, kind = 'ecdsa', isAuthority = false } = wish;
  const keys = await webcrypto.subtle.generateKey(algorithmOf(kind), true, ['sign', 'verify']);
  const name = commonName === '' ? '' : `CN=${commonName.replaceAll(/[,+]/g, '\\$&')}`;
  const issuer = wish.issuer ?? { name, keys };
  const certificate = await x509.X509CertificateGenerator.create({
    subject: name,
    issuer: issuer.name,
    notBefore: moved(wish.notBefore ?? new Date('2029-06-01T00:00:00Z')),
    notAfter: moved(wish.notAfter ?? new Date('2039-06-01T00:00:00Z')),
    publicKey: keys.publicKey,
    signingKey: issuer.keys.privateKey,
    signingAlgorithm:
      kind === 'ecdsa' ? ecdsa : { ...rsa, hash: kind === 'sha1-rsa' ? 'SHA-1' : 'SHA-256' },
    extensions: [new x509.BasicConstraintsExtension(isAuthority, undefined, true)],
  });
  const pem = `${certificate.toString('pem')}\n`;
  return { pem, privateKey: NodeKey.from(keys.privateKey), issuer: { name, keys } };
}

function algorithmOf(kind: Wish['kind']) {
  if (kind === 'ecdsa' || kind === undefined) return ecdsa;
  const hash = kind === 'sha1-rsa' ? 'SHA-1' : 'SHA-256';
  return { ...rsa, hash, modulusLength: kind === 'short-rsa' ? 1024 : 2048 };
}

/** Of a certificate on P-256: what stands there in its key, in hex, and what is to stand there. */
export function withKeyBytes(pem: string, [from, to]: readonly [string, string]): string {
  const der = Buffer.from(new x509.X509Certificate(pem).rawData);
  const at = der.indexOf(Buffer.from(from, 'hex'));
  if (at === -1) throw new Error(`there is no ${from} in this certificate`);
  der.write(to, at, 'hex');
  return `${new x509.X509Certificate(der).toString('pem')}\n`;
}

/** Keys that are well-formed, and that nobody can verify by. */
export const strangeKeys = {
  'of an algorithm that nobody knows': ['06072a8648ce3d0201', '06072a8648ce3d027f'],
  'on a curve that nobody knows': ['06082a8648ce3d030107', '06082a8648ce3d03017f'],
  'by a point that is not on its curve': ['03420004', '034200047f7f7f7f7f7f7f7f'],
} as const;
