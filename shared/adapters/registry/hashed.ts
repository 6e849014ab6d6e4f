import { createHash } from 'node:crypto';
import type { Sha256Digest } from '#shared/domain/registry/digest.ts';

/** The header in which a server states the digest is never read. */
export function digestOf(bytes: Uint8Array): Sha256Digest {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
