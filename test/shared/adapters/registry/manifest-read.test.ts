import { afterEach, describe, expect, it } from 'vitest';
import { memoryRegistry, send } from '#test/support/registry/memory-registry.ts';
import { openWorld } from '#test/support/registry/outside-world.ts';
import {
  contentOf,
  imageType,
  indexType,
  makeImage,
  makeIndex,
} from '#test/support/registry/pushed-image.ts';
import { as, registryIn, registryOver } from '#test/support/registry/registry-world.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';

const world = openWorld();
afterEach(() => world.close());

const one = makeImage('one');
const two = makeImage('two');

const at = (script: Script, repository?: string) => registryIn(world, script, repository);

describe('a manifest', () => {
  it.each([
    ['its tag', { tag: '1.0' }],
    ['its digest', { digest: one.manifest.digest }],
    ['its tag and its digest', { tag: '2.0', digest: one.manifest.digest }],
    ['nothing, which is latest', {}],
  ])('is read by %s in one request, hashed by us', async (_, name) => {
    const memory = memoryRegistry();
    memory.keep('team/app', one.manifest, '1.0', 'latest');
    memory.keep('team/app', two.manifest, '2.0');
    const { host, place, registry } = await at(memory.script);
    const read = await registry.manifest({ ...place, ...name }, as());
    expect(read).toMatchObject({
      kind: 'found',
      digest: one.manifest.digest,
      bytes: one.manifest.bytes,
      manifest: { kind: 'image', config: { digest: one.config.digest } },
    });
    expect(host.heard).toHaveLength(1);
  });

  it('may be an index, with the digests of its children', async () => {
    const index = makeIndex(one.manifest, two.manifest);
    const memory = memoryRegistry();
    memory.keep('team/app', index, 'latest');
    const { place, registry } = await at(memory.script);
    expect(await registry.manifest(place, as())).toMatchObject({
      digest: index.digest,
      manifest: {
        kind: 'index',
        children: [{ digest: one.manifest.digest }, { digest: two.manifest.digest }],
      },
    });
  });

  it('of a tag that answers differently per request is one image at a time, never a mixture', async () => {
    const turn = { at: 0 };
    const { place, registry } = await at((_, response) => {
      send(response, turn.at++ % 2 === 0 ? one.manifest : two.manifest);
    });
    const reads = await Promise.all(
      Array.from({ length: 20 }, () => registry.manifest(place, as())),
    );
    const pairs = reads.map((read) =>
      read.kind === 'found' && read.manifest.kind === 'image'
        ? `${read.digest} ${read.manifest.config.digest}`
        : read.kind,
    );
    expect(new Set(pairs)).toEqual(
      new Set([one, two].map((each) => `${each.manifest.digest} ${each.config.digest}`)),
    );
  });

  it.each<[string, Script, object]>([
    [
      'other content than its digest',
      (_, response) => send(response, two.manifest),
      { kind: 'refused', why: 'digest' },
    ],
    [
      'a page',
      (_, response) => send(response, contentOf('text/html', one.manifest.bytes)),
      { kind: 'refused', why: 'media-type' },
    ],
    ['nothing', (_, response) => response.writeHead(404).end(), { kind: 'not-found' }],
    [
      'a refusal',
      (_, response) => response.writeHead(403).end(),
      { kind: 'refused', why: 'denied' },
    ],
    [
      'a strange status',
      (_, response) => response.writeHead(418).end(),
      { kind: 'refused', why: 'status' },
    ],
    [
      'an empty page',
      (_, response) => response.writeHead(204).end(),
      { kind: 'refused', why: 'status' },
    ],
    [
      'a failure',
      (_, response) => response.writeHead(503).end(),
      { kind: 'unavailable', why: 'server-error' },
    ],
    [
      'a part of it',
      (_, response) => response.writeHead(206).end(one.manifest.bytes),
      { kind: 'refused', why: 'status' },
    ],
    [
      'more than anybody needs',
      (_, response) => send(response, contentOf(imageType, Buffer.alloc(5_000_000))),
      { kind: 'refused', why: 'too-large' },
    ],
    [
      'a broken connection',
      (_, response) => response.destroy(),
      { kind: 'unavailable', why: 'broken-off' },
    ],
  ])('that the server answers with %s', async (_, script, outcome) => {
    const { place, registry } = await at(script);
    const wanted = contentOf('', one.manifest.bytes.subarray(1)).digest;
    expect(await registry.manifest({ ...place, digest: wanted }, as())).toMatchObject(outcome);
  });

  it.each([
    ['of another type', contentOf('application/json', one.manifest.bytes), 'media-type'],
    ['of the type of an index', contentOf(indexType, one.manifest.bytes), 'malformed'],
    ['of no JSON', contentOf(imageType, Buffer.from('{')), 'malformed'],
  ])('%s is refused, its digest notwithstanding', async (_, content, why) => {
    const memory = memoryRegistry();
    memory.keep('team/app', content);
    const { place, registry } = await at(memory.script);
    const read = registry.manifest({ ...place, digest: content.digest }, as());
    expect(await read).toMatchObject({ kind: 'refused', why });
  });

  it('by another algorithm than sha256 is not asked for', async () => {
    const { host, place, registry } = await at(memoryRegistry().script);
    const digest = `sha512:${'0'.repeat(128)}`;
    expect(await registry.manifest({ ...place, digest }, as())).toMatchObject({ why: 'digest' });
    expect(host.heard).toEqual([]);
  });

  it.each(['1.2.3.999', 'registry.test:99999', '[::zz]', '169.254.169.254', 'localhost:1'])(
    'at %s is refused, and nothing is thrown',
    async (host) => {
      const registry = registryOver(world.outside());
      const read = await registry.manifest({ registry: host, repository: 'a' }, as());
      expect(read.kind).toBe('refused');
    },
  );

  it('ends with the deadline of the whole read, and when its caller gives up', async () => {
    const { host, place } = await at(() => {});
    const outside = world.outside();
    const read = registryOver(outside, { deadlineMs: 50 }).manifest(place, as());
    expect(await read).toMatchObject({ kind: 'unavailable', why: 'too-slow' });
    const signal = AbortSignal.abort();
    const given = registryOver(outside).manifest(place, as([], { signal }));
    expect(await given).toMatchObject({ kind: 'unavailable', why: 'given-up' });
    expect(host.heard).toHaveLength(1);
  });
});
