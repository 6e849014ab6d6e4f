import { X509Certificate } from 'node:crypto';

const mostSound = 100;
/** Each call asks, and to read a certificate takes longer than to find a text. */
const sound = new Set<string>();

/** What Go finds wrong with a bundle of authorities; `undefined` where it takes it. */
export function flawOf(bundle: string): string | undefined {
  if (sound.has(bundle)) return undefined;
  const why = flawIn(bundle);
  if (why !== undefined) return `unable to load root certificates: ${why}`;
  if (sound.size === mostSound) sound.clear();
  sound.add(bundle);
  return undefined;
}

function flawIn(bundle: string): string | undefined {
  const blocks = bundle.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) return 'unable to parse bytes as PEM block';
  return blocks.every(isCertificate)
    ? undefined
    : 'failed to parse certificate: x509: malformed certificate';
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}
