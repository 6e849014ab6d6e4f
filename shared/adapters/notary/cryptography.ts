import { constants, createHash, type KeyObject, verify, type X509Certificate } from 'node:crypto';
import type { Cryptography, Key, KeyFacts, Signed } from '#shared/domain/image-trust/tuf/key.ts';
import { algorithmOf, bareKey, bitsOf } from './bare-key.ts';
import { certificatesOf, factsOf, leadsUntil, publicKeyOf } from './certificate.ts';

/** What TUF needs of cryptography. Whatever a server sends as a key or as a signature, the answer is a value. */
export const nodeCryptography: Cryptography = {
  hash: (algorithm, bytes) => createHash(algorithm).update(bytes).digest(),
  readKey: (key) => read(key).facts,
  verify: (key, message, signature) => {
    const { publicKey } = read(key);
    return publicKey !== undefined && holds(publicKey, message, signature);
  },
  leadsUntil: (key, certificate, when) => leadsUntil(read(key).certificates, certificate, when),
};

type Read = {
  readonly publicKey: KeyObject | undefined;
  readonly certificates: readonly X509Certificate[];
  readonly facts: KeyFacts | undefined;
};

/** A verification looks at each key some ten times, and a certificate takes half a millisecond to read. */
const keptReads = new WeakMap<Key, Read>();

function read(key: Key): Read {
  const kept = keptReads.get(key) ?? readAnew(key);
  keptReads.set(key, kept);
  return kept;
}

/** Only of the algorithm that its type says: the type is part of its id. */
function readAnew(key: Key): Read {
  const [algorithm, form] = key.type.split('-');
  const certificates = certificatesOf(key);
  const publicKey = form === 'x509' ? publicKeyOf(certificates[0]) : bareKey(key);
  const fits = publicKey !== undefined && algorithmOf(publicKey) === algorithm;
  return {
    publicKey: fits ? publicKey : undefined,
    certificates,
    facts: fits ? factsFrom(publicKey, certificates) : undefined,
  };
}

function factsFrom(
  publicKey: KeyObject,
  certificates: readonly X509Certificate[],
): KeyFacts | undefined {
  const algorithm = algorithmOf(publicKey);
  if (algorithm === undefined) return undefined;
  return {
    algorithm,
    bits: bitsOf(publicKey),
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    certificates: certificates.map(factsOf),
  };
}

/** Which method may go with a key is the key's to say, never the signature's alone. */
const fitting = {
  ecdsa: ['ecdsa'],
  rsa: ['rsapss', 'rsapkcs1v15'],
  ed25519: ['eddsa'],
} as const;

function holds(key: KeyObject, message: Uint8Array, { method, bytes }: Signed): boolean {
  const algorithm = algorithmOf(key);
  const allowed: readonly string[] = algorithm === undefined ? [] : fitting[algorithm];
  if (!allowed.includes(method)) return false;
  try {
    return verified(key, message, { method, bytes });
  } catch {
    // Some forms of signature are refused by an exception: they do not hold either.
    return false;
  }
}

/** SHA-256 for every curve and every length; Ed25519 is over the bytes themselves. */
function verified(key: KeyObject, message: Uint8Array, { method, bytes }: Signed): boolean {
  switch (method) {
    case 'ecdsa':
      return verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, bytes);
    case 'rsapss':
      return verify('sha256', message, { key, ...pss }, bytes);
    case 'rsapkcs1v15':
      return verify('sha256', message, { key, padding: constants.RSA_PKCS1_PADDING }, bytes);
    case 'eddsa':
      return verify(null, message, key, bytes);
  }
}

const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } as const;
