import { createHash, type KeyObject, verify } from 'node:crypto';
import type { Opened } from './opened.ts';

type Signed = Pick<Opened, 'message' | 'signature'>;

/** As `cosign sign --key` signs with such a key. What a signature says about its own method is not asked. */
export function isSignedBy(key: KeyObject, { message, signature }: Signed): boolean {
  try {
    return hashesFor(key).some((hash) => verify(hash, message, key, signature));
  } catch {
    // Some forms of signature are refused by an exception: they do not hold either.
    return false;
  }
}

const shortestRsa = 2048;

/** cosign takes SHA-256 for every curve; later versions the one that goes with it. Ed25519 is over the bytes. */
function hashesFor(key: KeyObject): readonly (string | null)[] {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'ec':
      return curveHashes.get(namedCurve) ?? [];
    case 'rsa':
      return modulusLength < shortestRsa ? [] : ['sha256'];
    case 'ed25519':
      return [null];
    default:
      return [];
  }
}

const curveHashes: ReadonlyMap<string, readonly string[]> = new Map([
  ['prime256v1', ['sha256']],
  ['secp384r1', ['sha256', 'sha384']],
  ['secp521r1', ['sha256', 'sha512']],
]);

/** Of the whole public key, as `openssl pkey -pubin -outform der | sha256sum` has it. */
export function fingerprint(key: KeyObject): string {
  const bytes = key.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
