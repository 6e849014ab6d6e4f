import {
  type BlobName,
  type FoundBlob,
  type Read,
  type RegistryAccess,
  readRefused,
} from '#shared/domain/registry/registry.ts';
import { ask } from './ask.ts';
import { digestOf } from './hashed.ts';
import { failureFrom } from './outcome.ts';
import type { Tools } from './tools.ts';
import { tryAll } from './try-all.ts';

export function readBlob(
  tools: Tools,
  blob: BlobName,
  access: RegistryAccess,
): Promise<Read<FoundBlob>> {
  const { digest, maxBytes } = blob;
  const asked = {
    path: `/blobs/${digest}`,
    maxBytes,
    reach: access.reach,
    signal: access.signal,
  };
  return tryAll(tools, { ...blob, ...access }, async (endpoint, account) => {
    const answered = await ask(tools, { ...asked, endpoint, account });
    if (answered.kind !== 'answer') return answered;
    if (answered.status !== 200) return failureFrom(answered, tools.now());
    if (answered.body.length > maxBytes) {
      return readRefused('too-large', `the blob is larger than ${maxBytes} bytes`);
    }
    return digestOf(answered.body) === digest
      ? { kind: 'found', digest, bytes: answered.body }
      : readRefused('digest', `${endpoint.host} sends other content than was asked for`);
  });
}
