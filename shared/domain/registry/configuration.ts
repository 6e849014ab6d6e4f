import { parseBounded } from '../bounded-json.ts';
import { choice, decode, listUpTo, record, text } from '../decode.ts';
import type { Sha256Digest } from './digest.ts';
import { type Manifest, mostParts, registryJson } from './manifest.ts';

/** Far more than any that is built. */
export const largestConfiguration = 4 * 1024 * 1024;

const types: readonly string[] = [
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
];

/** What a manifest calls its configuration, and of how many layers that has to be. */
export type ClaimedConfiguration = { readonly digest: Sha256Digest; readonly layers: number };

/** Anything may stand there: what a manifest says of itself is for whoever pushes it to choose. */
export function claimedConfiguration(manifest: Manifest): ClaimedConfiguration | undefined {
  if (manifest.kind !== 'image' || !types.includes(manifest.config.mediaType)) return undefined;
  return { digest: manifest.config.digest, layers: manifest.layers.length };
}

const configuration = record({
  rootfs: record({ type: choice('layers'), diff_ids: listUpTo(mostParts, text) }),
});

/**
 * Whether the content is an image's configuration, of as many layers. It names them by what they are unpacked, to which
 * the runtime holds them; nobody sees that without unpacking.
 */
export function isConfigurationOf(
  { layers }: Pick<ClaimedConfiguration, 'layers'>,
  bytes: Uint8Array,
): boolean {
  const parsed = parseBounded(bytes, { ...registryJson, maxBytes: largestConfiguration });
  const read = decode(configuration, parsed.kind === 'json' ? parsed.value : undefined);
  return read.ok && read.value.rootfs.diff_ids.length === layers;
}
