import { describe, expect, it } from 'vitest';
import {
  claimsConfiguration,
  type ImageManifest,
  isConfigurationOf,
} from '#shared/domain/registry/configuration.ts';
import { decodeManifest } from '#shared/domain/registry/manifest.ts';
import { imageType, makeImage, makeIndex } from '#test/support/registry/pushed-image.ts';

function decoded(more: object = {}): ImageManifest {
  const read = decodeManifest(makeImage('app', more).manifest.bytes, imageType);
  if (!read.ok || read.manifest.kind !== 'image') throw new Error('it is no image');
  return read.manifest;
}

const { config, manifest } = makeImage('app');
const called = (mediaType: string) =>
  decoded({ config: { mediaType, digest: config.digest, size: config.bytes.length } });

describe('what a manifest calls its configuration', () => {
  it.each([
    ['application/vnd.oci.image.config.v1+json', true],
    ['application/vnd.docker.container.image.v1+json', true],
    ['application/vnd.docker.plugin.v1+json', false],
    ['application/vnd.oci.empty.v1+json', false],
    [imageType, false],
    ['', false],
  ])('may be one where it is a %s: %s', (mediaType, expected) => {
    expect(claimsConfiguration(called(mediaType))).toBe(expected);
  });

  const rooted = (rootfs: unknown) => Buffer.from(JSON.stringify({ os: 'linux', rootfs }));
  const ids = ['sha256:a', 'sha256:b'];
  it.each([
    ['its own', config.bytes, true],
    ['one of more layers', rooted({ type: 'layers', diff_ids: ids }), false],
    ['one of no layers', rooted({ type: 'layers', diff_ids: [] }), false],
    ['one of layers that are no names', rooted({ type: 'layers', diff_ids: [1] }), false],
    ['one without the kind', rooted({ diff_ids: ['sha256:a'] }), false],
    ['a manifest', manifest.bytes, false],
    ['a list', makeIndex(manifest).bytes, false],
    ['one of two million', Buffer.from(`[${'1,'.repeat(2_000_000)}1]`), false],
    [
      'one of a million layers that are no names',
      Buffer.from(`{"rootfs":{"type":"layers","diff_ids":[${'1,'.repeat(1_000_000)}1]}}`),
      false,
    ],
    ['nothing', Buffer.from('null'), false],
    ['no JSON', Buffer.from([0x1f, 0x8b]), false],
  ])('given %s is one or not', (_, bytes, expected) => {
    expect(isConfigurationOf(decoded(), bytes)).toBe(expected);
  });

  it('is not one for an image of more layers', () => {
    const { layers } = decoded();
    expect(isConfigurationOf(decoded({ layers: [...layers, ...layers] }), config.bytes)).toBe(
      false,
    );
  });
});
