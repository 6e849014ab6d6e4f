import { constants, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { nodeCryptography } from '#shared/adapters/notary/cryptography.ts';
import type { Signature } from '#shared/domain/image-trust/tuf/envelope.ts';
import { type Key, keyId, type SignatureMethod } from '#shared/domain/image-trust/tuf/key.ts';

/** Somebody who holds a key, and signs as Notary's client and signer do. */
export type Signer = {
  readonly id: string;
  readonly key: Key;
  readonly privateKey: KeyObject;
  sign(message: Uint8Array, method?: SignatureMethod): Signature;
};

export function signerOf(key: Key, privateKey: KeyObject): Signer {
  const id = keyId(key, nodeCryptography);
  return {
    id,
    key,
    privateKey,
    sign: (message, method = usualMethod(key)) => ({
      keyid: id,
      method,
      sig: signature(privateKey, message, method).toString('base64'),
    }),
  };
}

/** The same key in a certificate or two is the same person. */
export function inCertificate(pem: string, privateKey: KeyObject): Signer {
  const type = privateKey.asymmetricKeyType === 'rsa' ? 'rsa-x509' : 'ecdsa-x509';
  return signerOf({ type, public: Buffer.from(pem).toString('base64') }, privateKey);
}

export function bare(privateKey: KeyObject): Signer {
  const der = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  switch (privateKey.asymmetricKeyType) {
    case 'ed25519':
      return signerOf(
        { type: 'ed25519', public: der.subarray(-32).toString('base64') },
        privateKey,
      );
    case 'rsa':
      return signerOf({ type: 'rsa', public: der.toString('base64') }, privateKey);
    default:
      return signerOf({ type: 'ecdsa', public: der.toString('base64') }, privateKey);
  }
}

export function elliptic(namedCurve = 'P-256'): Signer {
  return bare(generateKeyPairSync('ec', { namedCurve }).privateKey);
}

export function edwards(): Signer {
  return bare(generateKeyPairSync('ed25519').privateKey);
}

export function rsa(modulusLength = 2048): Signer {
  return bare(generateKeyPairSync('rsa', { modulusLength }).privateKey);
}

function usualMethod({ type }: Key): SignatureMethod {
  if (type.startsWith('rsa')) return 'rsapss';
  return type === 'ed25519' ? 'eddsa' : 'ecdsa';
}

function signature(key: KeyObject, message: Uint8Array, method: SignatureMethod): Buffer {
  switch (method) {
    case 'ecdsa':
      return sign('sha256', message, { key, dsaEncoding: 'ieee-p1363' });
    case 'rsapss':
      return sign('sha256', message, {
        key,
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: 32,
      });
    case 'rsapkcs1v15':
      return sign('sha256', message, key);
    case 'eddsa':
      return sign(null, message, key);
  }
}
