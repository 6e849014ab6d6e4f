import { isSha256Digest } from '#shared/domain/registry/digest.ts';
import { decodeManifest } from '#shared/domain/registry/manifest.ts';
import { manifestTypes } from '#shared/domain/registry/media-type.ts';
import {
  type FoundManifest,
  type ManifestName,
  type Read,
  type RegistryAccess,
  readRefused,
} from '#shared/domain/registry/registry.ts';
import { ask } from './ask.ts';
import { digestOf } from './hashed.ts';
import { type Answered, failureFrom } from './outcome.ts';
import type { Tools } from './tools.ts';
import { tryAll } from './try-all.ts';

/** As registries themselves bound it. */
export const maxManifestBytes = 4 * 1024 * 1024;

export async function readManifest(
  tools: Tools,
  image: ManifestName,
  access: RegistryAccess,
): Promise<Read<FoundManifest>> {
  const { digest, tag = 'latest' } = image;
  if (digest !== undefined && !isSha256Digest(digest)) {
    return readRefused('digest', 'its digest is not made by sha256');
  }
  const asked = {
    path: `/manifests/${encodeURIComponent(digest ?? tag).replace('%3A', ':')}`,
    accept: manifestTypes,
    maxBytes: maxManifestBytes,
    reach: access.reach,
    signal: access.signal,
  };
  return tryAll(tools, { ...image, ...access }, async (endpoint, account) => {
    const answered = await ask(tools, { ...asked, endpoint, account });
    if (answered.kind !== 'answer') return answered;
    return answered.status === 200
      ? manifestFrom(answered, digest)
      : failureFrom(answered, tools.now());
  });
}

/** One read, hashed and decoded from the same bytes: a tag that moves in between cannot mix two images. */
function manifestFrom(
  { body, headers, url }: Answered,
  wanted: string | undefined,
): Read<FoundManifest> {
  const digest = digestOf(body);
  const { host } = new URL(url);
  if (wanted !== undefined && wanted !== digest) {
    return readRefused('digest', `${host} sends other content than was asked for`);
  }
  const read = decodeManifest(Buffer.from(body).toString('utf8'), headers['content-type']);
  return read.ok
    ? { kind: 'found', digest, bytes: body, manifest: read.manifest }
    : readRefused(read.why, `${host}: ${read.about}`);
}
