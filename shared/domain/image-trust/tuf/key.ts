import { fromUtf8, toHex } from './bytes.ts';
import { canonicalJson } from './canonical-json.ts';

export type Key = {
  /** `ecdsa`, `ecdsa-x509`, `rsa`, `rsa-x509` or `ed25519`; others sign nothing. */
  readonly type: string;
  /** Base64 of DER, of PEM text or of 32 raw bytes, as the type says. */
  readonly public: string;
};

export type CertificateFacts = {
  readonly commonName: string;
  readonly isAuthority: boolean;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Signed by way of SHA-1 or MD5. */
  readonly isWeak: boolean;
};

/** Clocks differ, and a certificate is used on the day that it was made. */
const earlyMs = 24 * 60 * 60 * 1000;

/** At any time where none is named. */
export function isInForce(
  { notBefore, notAfter }: Pick<CertificateFacts, 'notBefore' | 'notAfter'>,
  when: Date | undefined,
): boolean {
  if (when === undefined) return true;
  return notBefore.getTime() - earlyMs <= when.getTime() && when < notAfter;
}

export type KeyFacts = {
  readonly algorithm: 'ecdsa' | 'rsa' | 'ed25519';
  readonly bits: number;
  /** Base64 of the bare key's SubjectPublicKeyInfo: two certificates of one key are one signer. */
  readonly publicKey: string;
  /** Leaf first; none for a bare key. */
  readonly certificates: readonly CertificateFacts[];
};

export type SignatureMethod = 'ecdsa' | 'rsapss' | 'rsapkcs1v15' | 'eddsa';

/** What the domain has to be given: it knows no cryptography of its own. Nothing here throws. */
export type Cryptography = {
  hash(algorithm: 'sha256' | 'sha512', bytes: Uint8Array): Uint8Array;
  /** Nothing for what is no key of its type, or of a kind that nobody should sign with. */
  readKey(key: Key): KeyFacts | undefined;
  verify(key: Key, message: Uint8Array, signature: Signed): boolean;
  /**
   * Until when the key's leaf is this very certificate, or leads to it by the certificates that came with it, all of them
   * in force then; at any time where none is named. Nothing where it does not.
   */
  leadsUntil(key: Key, certificate: string, when: Date | undefined): Date | undefined;
};

export type Signed = { readonly method: SignatureMethod; readonly bytes: Uint8Array };

/** Part of what is hashed is that nobody wrote a private key: upstream's structure always had the field. */
export function keyId(key: Key, { hash }: Cryptography): string {
  const text = canonicalJson({
    keytype: key.type,
    keyval: { private: null, public: key.public },
  });
  return text === undefined ? '' : toHex(hash('sha256', fromUtf8(text)));
}

/** As `notary key list` shows it: the id of the key itself, whatever certificate was made of it. */
export function bareKeyId({ algorithm, publicKey }: KeyFacts, crypto: Cryptography): string {
  return keyId({ type: algorithm, public: publicKey }, crypto);
}

export function isStrong({ algorithm, bits, certificates }: KeyFacts): boolean {
  const isLongEnough = algorithm !== 'rsa' || bits >= 2048;
  return isLongEnough && !certificates.some(({ isWeak }) => isWeak);
}
