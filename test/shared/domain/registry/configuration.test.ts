import { describe, expect, it } from 'vitest';
import { claimedConfiguration, isConfigurationOf } from '#shared/domain/registry/configuration.ts';
import { decodeManifest } from '#shared/domain/registry/manifest.ts';
import { imageType, indexType, makeImage, makeIndex } from '#test/support/registry/pushed-image.ts';

function decoded({ bytes, mediaType } = makeImage('app').manifest) {
  const read = decodeManifest(bytes, mediaType);
  if (!read.ok) throw new Error('it is no manifest');
  return read.manifest;
}

const { config, manifest } = makeImage('app');
const { digest } = config;
const called = (mediaType: string) => {
  const named = { mediaType, digest, size: config.bytes.length };
  return decoded(makeImage('app', { config: named }).manifest);
};

describe('what a manifest calls its configuration', () => {
  it.each([
    ['application/vnd.oci.image.config.v1+json', true],
    ['application/vnd.docker.container.image.v1+json', true],
    ['application/vnd.docker.plugin.v1+json', false],
    ['application/vnd.oci.empty.v1+json', false],
    [imageType, false],
    ['', false],
  ])('may be one where it is a %s: %s', (mediaType, expected) => {
    const claimed = { digest, layers: 1 };
    expect(claimedConfiguration(called(mediaType))).toEqual(expected ? claimed : undefined);
  });

  it('is nothing where it is a list', () => {
    const { bytes } = makeIndex(manifest);
    expect(claimedConfiguration(decoded({ bytes, mediaType: indexType, digest }))).toBeUndefined();
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
    expect(isConfigurationOf({ layers: 1 }, bytes)).toBe(expected);
  });

  it('is not one for an image of more layers', () => {
    expect(isConfigurationOf({ layers: 2 }, config.bytes)).toBe(false);
  });
});
