import { describe, expect, it } from 'vitest';
import { decodeManifest } from '#shared/domain/registry/manifest.ts';

const oci = 'application/vnd.oci.image.manifest.v1+json';
const docker = 'application/vnd.docker.distribution.manifest.v2+json';
const index = 'application/vnd.oci.image.index.v1+json';
const list = 'application/vnd.docker.distribution.manifest.list.v2+json';
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const part = (letter: string) => ({ mediaType: 'a/b', digest: digest(letter), size: 3 });
const image = { schemaVersion: 2, config: part('a'), layers: [part('b')] };
const children = { schemaVersion: 2, manifests: [part('c')] };

function decoded(content: unknown, contentType: string | undefined = oci) {
  if (Buffer.isBuffer(content)) return decodeManifest(content, contentType);
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return decodeManifest(Buffer.from(text), contentType);
}

describe('a manifest', () => {
  it.each([
    ['an OCI image', image, oci, 'image'],
    ['a Docker image', { ...image, mediaType: docker }, docker, 'image'],
    ['an OCI index', children, index, 'index'],
    ['a Docker list', { ...children, mediaType: list }, list, 'index'],
    ['one with parameters in its type', image, `${oci}; charset=utf-8`, 'image'],
    ['an empty index', { manifests: [] }, index, 'index'],
    [
      'an index of nulls',
      { manifests: [{ ...part('c'), annotations: null, platform: null }] },
      index,
      'index',
    ],
  ])('is read: %s', (_, content, contentType, kind) => {
    expect(decoded(content, contentType)).toMatchObject({ ok: true, manifest: { kind } });
  });

  it('tells its configuration, its layers, its annotations and its subject', () => {
    const content = { ...image, annotations: { a: 'b' }, subject: part('d'), artifactType: 'x/y' };
    expect(decoded(content)).toMatchObject({
      manifest: {
        config: { digest: digest('a') },
        layers: [{ digest: digest('b'), annotations: {} }],
        annotations: { a: 'b' },
        subject: digest('d'),
        artifactType: 'x/y',
      },
    });
  });

  it('tells the children that can be checked, with their platforms', () => {
    const platform = { os: 'linux', architecture: 'arm64', variant: 'v8', features: ['x'] };
    const odd = { ...part('c'), digest: `sha512:${'c'.repeat(128)}` };
    const read = decoded({ manifests: [{ ...part('c'), platform }, odd, part('d')] }, index);
    expect(read).toMatchObject({
      manifest: {
        children: [
          { digest: digest('c'), platform: { os: 'linux', architecture: 'arm64', variant: 'v8' } },
          { digest: digest('d'), platform: undefined },
        ],
      },
    });
  });

  it.each<[string, unknown, string]>([
    ['no type', image, ''],
    ['JSON of no kind', image, 'application/json'],
    ['a page', '<html>', 'text/html'],
    ["Docker's schema 1", {}, 'application/vnd.docker.distribution.manifest.v1+prettyjws'],
    ['two types', image, `${oci}, ${index}`],
    ['a type by its beginning', image, `${oci}x`],
  ])('is none as %s', (_, content, contentType) => {
    expect(decoded(content, contentType)).toMatchObject({ ok: false, why: 'media-type' });
  });

  it.each<[string, unknown, string]>([
    ['no JSON', '{', oci],
    ['a list', [], oci],
    ['null', null, index],
    ['an image as an index', image, index],
    ['an index as an image', children, oci],
    ['another type inside', { ...image, mediaType: docker }, oci],
    ['both at once', { ...image, ...children }, oci],
    ['both at once, as an index', { ...children, layers: [] }, index],
    ["Docker's schema 1 as well", { ...image, fsLayers: [{ blobSum: digest('e') }] }, oci],
    ['the same in another spelling', { ...image, FSLayers: [{ blobSum: digest('e') }] }, oci],
    ["a list that is Docker's schema 1 as well", { ...children, fsLayers: [] }, index],
    ['a key in two spellings', { ...image, Config: part('e') }, oci],
    ['a key in another spelling', { ...children, Layers: [] }, index],
    // Go reads the last of them: what we look at would be another configuration than the one that runs.
    ['a digest in two spellings', { ...image, config: { ...part('a'), Digest: digest('e') } }, oci],
    ['a digest with a long s', { ...image, config: { ...part('a'), 'dige\u017ft': 'x' } }, oci],
    ['layers with a long s', { ...image, 'layer\u017f': [part('e')] }, oci],
    ['a size of a layer in two spellings', { ...image, layers: [{ ...part('b'), Size: 1 }] }, oci],
    ['a child in capitals', { manifests: [{ ...part('b'), DIGEST: digest('e') }] }, index],
    [
      'a platform in two spellings',
      { manifests: [{ ...part('b'), platform: { os: 'linux', OS: 'x', architecture: 'y' } }] },
      index,
    ],
    ['a subject in two spellings', { ...image, subject: { ...part('d'), Digest: 'x' } }, oci],
    ['a configuration without a digest', { ...image, config: { mediaType: 'x', size: 1 } }, oci],
    [
      'a configuration by another algorithm',
      { ...image, config: { ...part('a'), digest: 'md5:aa' } },
      oci,
    ],
    ['a digest in capitals', { ...image, config: part('A') }, oci],
    ['a size below nothing', { ...image, layers: [{ ...part('b'), size: -1 }] }, oci],
    ['too many layers', { ...image, layers: Array(1_001).fill(part('b')) }, oci],
    ['too many children', { manifests: Array(1_001).fill(part('b')) }, index],
    ['great depth', '['.repeat(100_000), oci],
    [
      'great depth inside',
      `{"config":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)},"layers":[]}`,
      oci,
    ],
    ['bytes that are no text', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), oci],
    ['annotations that are no text', { ...image, annotations: { a: 1 } }, oci],
  ])('is malformed: %s', (_, content, contentType) => {
    expect(decoded(content, contentType)).toMatchObject({ ok: false, why: 'malformed' });
  });

  it('may have annotations of any name', () => {
    const annotations = { Digest: 'x', digest: 'y', 'layer\u017f': 'z' };
    const config = { ...part('a'), annotations };
    expect(decoded({ ...image, annotations, config })).toMatchObject({ ok: true });
  });

  it('may have as many parts as any that is built', () => {
    const annotations = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`a${at}`, 'b']));
    const layers = Array(1_000).fill({ ...part('b'), annotations });
    expect(decoded({ ...image, layers })).toMatchObject({ ok: true });
    const platform = { os: 'linux', architecture: 'arm64', variant: 'v8' };
    const manifests = Array(1_000).fill({ ...part('b'), platform, annotations });
    expect(decoded({ manifests }, index)).toMatchObject({ ok: true });
  });

  const filled = (open: string, item: string, close: string) =>
    `${open}${Array(1_300_000).fill(item).join(',')}${close}`;
  const config = JSON.stringify(part('a'));
  it.each([
    ['empty layers', filled(`{"config":${config},"layers":[`, '{}', ']}'), oci],
    ['empty children', filled('{"manifests":[', '{}', ']}'), index],
    ['numbers', filled(`{"config":${config},"layers":[`, '1', ']}'), oci],
    [
      'wrong annotations',
      `{"config":${config},"layers":[],"annotations":{${Array.from({ length: 300_000 }, (_, at) => `"${at}":1`).join()}}}`,
      oci,
    ],
    ['brackets', filled('{"a":[', '[]', ']}'), oci],
  ])('keeps nobody waiting by %s: they are not looked at', (_, content, contentType) => {
    // One by one they took 4 to 22 s, and as many as are in 4 MiB threw for all that was wrong with them.
    const refused = { ok: false, why: 'malformed', about: 'it has too many parts' };
    expect(decoded(content, contentType)).toEqual(refused);
  });
});
