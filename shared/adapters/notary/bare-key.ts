import { createPublicKey, type KeyObject } from 'node:crypto';
import { fromBase64 } from '#shared/domain/image-trust/tuf/bytes.ts';
import type { Key, KeyFacts } from '#shared/domain/image-trust/tuf/key.ts';

const curves: ReadonlyMap<string, number> = new Map([
  ['prime256v1', 256],
  ['secp384r1', 384],
  ['secp521r1', 521],
]);

/** Verifying takes longer with each bit, and who sends the key chooses how many there are. */
const mostRsaBits = 8192;
const mostExponent = 0xffff_ffffn;

/** DER, but for Ed25519: 32 raw bytes. */
export function bareKey({ type, public: text }: Key): KeyObject | undefined {
  const bytes = fromBase64(text);
  if (bytes === undefined) return undefined;
  try {
    return type === 'ed25519'
      ? createPublicKey({ key: edwards(bytes), format: 'jwk' })
      : createPublicKey({ key: Buffer.from(bytes), format: 'der', type: 'spki' });
  } catch {
    // No key, whatever else it is.
    return undefined;
  }
}

/** Nothing for what nobody should sign metadata with. */
export function algorithmOf(key: KeyObject): KeyFacts['algorithm'] | undefined {
  switch (key.asymmetricKeyType) {
    case 'ec':
      return curves.has(curveOf(key)) ? 'ecdsa' : undefined;
    case 'rsa':
      return isBearable(key) ? 'rsa' : undefined;
    case 'ed25519':
      return 'ed25519';
    default:
      return undefined;
  }
}

export function bitsOf(key: KeyObject): number {
  return key.asymmetricKeyDetails?.modulusLength ?? curves.get(curveOf(key)) ?? 256;
}

function curveOf(key: KeyObject): string {
  return key.asymmetricKeyDetails?.namedCurve ?? '';
}

function isBearable({ asymmetricKeyDetails }: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {};
  return modulusLength <= mostRsaBits && publicExponent >= 3n && publicExponent <= mostExponent;
}

function edwards(bytes: Uint8Array) {
  return { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(bytes).toString('base64url') };
}
