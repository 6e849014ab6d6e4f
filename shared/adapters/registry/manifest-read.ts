import { isSha256Digest } from '#shared/domain/registry/digest.ts';
import {
  type FoundManifest,
  type ManifestName,
  type Read,
  type RegistryAccess,
  readRefused,
} from '#shared/domain/registry/registry.ts';
import { manifestAt } from './manifest-at.ts';
import type { Tools } from './tools.ts';
import { tryAll } from './try-all.ts';

export async function readManifest(
  tools: Tools,
  image: ManifestName,
  access: RegistryAccess,
): Promise<Read<FoundManifest>> {
  const { digest, tag = 'latest' } = image;
  if (digest !== undefined && !isSha256Digest(digest)) {
    return readRefused('digest', 'its digest is not made by sha256');
  }
  return tryAll(tools, { ...image, ...access }, (endpoint, account) =>
    manifestAt(tools, { endpoint, account, access }, digest ?? tag),
  );
}
