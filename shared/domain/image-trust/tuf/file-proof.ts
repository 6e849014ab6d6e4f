import { fromBase64, isSameBytes, toHex } from './bytes.ts';
import { type Checked, distrusted, held } from './finding.ts';
import type { Cryptography } from './key.ts';
import type { FileFacts } from './metadata.ts';

const sha256Bytes = 32;

/** The digest that a file is asked for by; other algorithms may stand beside it. */
export function sha256Of({ hashes }: FileFacts): string | undefined {
  const stated = Object.hasOwn(hashes, 'sha256') ? hashes['sha256'] : undefined;
  const bytes = stated === undefined ? undefined : fromBase64(stated);
  return bytes?.length === sha256Bytes ? toHex(bytes) : undefined;
}

/** Every hash that is known has to hold, so that none of them can be a decoy. */
export function checkFile(
  role: string,
  bytes: Uint8Array,
  { stated, crypto }: { readonly stated: FileFacts; readonly crypto: Cryptography },
): Checked<Uint8Array> {
  if (bytes.length !== stated.length) return distrusted(role, 'bad-length');
  const holds = (['sha256', 'sha512'] as const).every((algorithm) => {
    if (!Object.hasOwn(stated.hashes, algorithm)) return algorithm !== 'sha256';
    const expected = fromBase64(stated.hashes[algorithm] ?? '');
    return expected !== undefined && isSameBytes(crypto.hash(algorithm, bytes), expected);
  });
  return holds ? held(bytes) : distrusted(role, 'bad-hash');
}
