import { createPrivateKey, type KeyObject } from 'node:crypto';
import { certificateIn, type PemBlock, pemBlocks } from '../../pem.ts';

/** Why a certificate and a key are no pair, in the words of Go. */
export function unpaired(certificate: string, key: string): string | undefined {
  const [certificates, keys] = [pemBlocks(certificate), pemBlocks(key)];
  const first = certificates.find(({ type }) => type === 'CERTIFICATE');
  const own = keys.find(isKey);
  if (first === undefined) return noCertificate(certificates);
  if (own === undefined) return noKey(keys);
  return unmatched(first, own);
}

function isKey({ type }: PemBlock): boolean {
  return /(^| )PRIVATE KEY$/.test(type);
}

function noCertificate(blocks: readonly PemBlock[]): string {
  const [only, ...more] = blocks;
  if (only === undefined) return 'tls: failed to find any PEM data in certificate input';
  return more.length === 0 && only.type.endsWith('PRIVATE KEY')
    ? 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched'
    : `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${typesOf(blocks)}`;
}

function noKey(blocks: readonly PemBlock[]): string {
  const [only, ...more] = blocks;
  if (only === undefined) return 'tls: failed to find any PEM data in key input';
  return more.length === 0 && only.type === 'CERTIFICATE'
    ? 'tls: found a certificate rather than a key in the PEM for the private key'
    : `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: ${typesOf(blocks)}`;
}

function typesOf(blocks: readonly PemBlock[]): string {
  return `[${blocks.map(({ type }) => type).join(' ')}]`;
}

function unmatched(certificate: PemBlock, own: PemBlock): string | undefined {
  const [found, key] = [certificateIn(certificate.pem), keyIn(own.pem)];
  if (found === undefined) return 'x509: malformed certificate';
  if (key === undefined) return 'tls: failed to parse private key';
  if (found.publicKey.asymmetricKeyType !== key.asymmetricKeyType) {
    return 'tls: private key type does not match public key type';
  }
  return found.checkPrivateKey(key) ? undefined : 'tls: private key does not match public key';
}

function keyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch (cause: unknown) {
    if (cause instanceof Error) return undefined;
    throw cause;
  }
}
