import { createHash } from 'node:crypto';
import type { Sha256Digest } from '#shared/domain/registry/digest.ts';

export type Content = {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly digest: Sha256Digest;
};

export const imageType = 'application/vnd.oci.image.manifest.v1+json';
export const configType = 'application/vnd.oci.image.config.v1+json';
export const indexType = 'application/vnd.oci.image.index.v1+json';

export function contentOf(mediaType: string, value: unknown): Content {
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}` as const;
  return { mediaType, bytes, digest };
}

export function descriptorOf({ mediaType, digest, bytes }: Content) {
  return { mediaType, digest, size: bytes.length };
}

export type MadeImage = {
  readonly config: Content;
  readonly layer: Content;
  readonly manifest: Content;
};

/** Small and whole: a configuration, a layer, and the manifest that names both. */
export function makeImage(name: string, more: object = {}): MadeImage {
  const layer = contentOf('application/vnd.oci.image.layer.v1.tar', Buffer.from(`layer ${name}`));
  const config = contentOf(configType, {
    os: 'linux',
    architecture: 'amd64',
    name,
    rootfs: { type: 'layers', diff_ids: [layer.digest] },
  });
  const manifest = contentOf(imageType, {
    schemaVersion: 2,
    mediaType: imageType,
    config: descriptorOf(config),
    layers: [descriptorOf(layer)],
    ...more,
  });
  return { config, layer, manifest };
}

/** One that calls its configuration what somebody has signed as something else. */
export function makePosing(name: string, signed: Content): MadeImage {
  const config = { ...signed, mediaType: configType };
  return { ...makeImage(name, { config: descriptorOf(config) }), config };
}

export function makeIndex(...children: readonly Content[]): Content {
  return contentOf(indexType, {
    schemaVersion: 2,
    mediaType: indexType,
    manifests: children.map((child) => ({
      ...descriptorOf(child),
      platform: { os: 'linux', architecture: 'amd64' },
    })),
  });
}
