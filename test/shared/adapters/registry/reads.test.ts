import { afterEach, describe, expect, it } from 'vitest';
import { guarded, memoryRegistry, send } from '#test/support/registry/memory-registry.ts';
import { openWorld } from '#test/support/registry/outside-world.ts';
import {
  contentOf,
  imageType,
  indexType,
  makeImage,
  makeIndex,
} from '#test/support/registry/pushed-image.ts';
import { as, passwordAt, registryOver } from '#test/support/registry/registry-world.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';

const world = openWorld();
afterEach(() => world.close());

const one = makeImage('one');
const two = makeImage('two');

async function at(script: Script, repository = 'team/app') {
  const host = await world.open('registry.test', script);
  return {
    host,
    place: { registry: host.host, repository },
    registry: registryOver(world.outside()),
  };
}

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
      { kind: 'refused', why: 'digest' },
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

describe('a registry that is busy', () => {
  it('is left alone as long as it asks, by the account that it said so to', async () => {
    const memory = memoryRegistry();
    memory.keep('team/app', one.manifest, 'latest');
    const limit = { hit: true };
    const host = await world.open('registry.test', (request, response, heard) => {
      if (limit.hit) response.writeHead(429, { 'retry-after': '30' }).end();
      else memory.script(request, response, heard);
    });
    const time = { now: 0 };
    const registry = registryOver(world.outside(), {}, time);
    const place = { registry: host.host, repository: 'team/app' };
    const busy = { kind: 'unavailable', why: 'busy' };

    expect(await registry.manifest(place, as())).toMatchObject({ ...busy, afterSeconds: 30 });
    limit.hit = false;
    time.now = 20_000;
    expect(await registry.manifest(place, as())).toMatchObject({ ...busy, afterSeconds: 10 });
    expect(host.heard).toHaveLength(1);
    const other = as([passwordAt(host.host, 'u', 'p')]);
    expect(await registry.manifest(place, other)).toMatchObject({ kind: 'found' });
    time.now = 30_001;
    expect(await registry.manifest(place, as())).toMatchObject({ kind: 'found' });
  });

  it.each([
    ['Tue, 01 Jan 2030 00:00:20 GMT', 20],
    ['Tue, 01 Jan 2030 11:00:00 GMT', 60],
    ['Mon, 31 Dec 2029 00:00:00 GMT', 0],
    ['86400', 60],
    ['soon', undefined],
  ])('may say it as %s', async (after, afterSeconds) => {
    const { place, registry } = await at((_, response) => {
      response.writeHead(429, { 'retry-after': after }).end();
    });
    const read = await registry.manifest(place, as());
    expect(read).toEqual(expect.objectContaining({ why: 'busy', afterSeconds }));
  });
});

describe('a blob', () => {
  const asked = { digest: one.layer.digest, maxBytes: 1_000 };

  it('is read by its digest, also where it lies elsewhere, which learns no password', async () => {
    const memory = memoryRegistry();
    memory.keepBlob('team/app', one.layer);
    const store = await world.open('store.test', memory.script);
    const entrance: Script = (_, response, { path }) =>
      response.writeHead(307, { location: `http://${store.host}${path}` }).end();
    const lets = (authorization: string | undefined) => authorization !== undefined;
    const { host, place, registry } = await at(guarded(entrance, 'Basic realm="x"', lets));
    const access = as([passwordAt(host.host, 'u', 'p')]);
    expect(await registry.blob({ ...place, ...asked }, access)).toMatchObject({
      kind: 'found',
      bytes: one.layer.bytes,
    });
    expect(store.heard.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  it('that is something else is refused', async () => {
    const { place, registry } = await at((_, response) => send(response, two.layer));
    expect(await registry.blob({ ...place, ...asked }, as())).toMatchObject({ why: 'digest' });
  });

  it('that is larger than was said is refused', async () => {
    const memory = memoryRegistry();
    memory.keepBlob('team/app', one.layer);
    const { place, registry } = await at(memory.script);
    const maxBytes = one.layer.bytes.length - 1;
    const read = registry.blob({ ...place, ...asked, maxBytes }, as());
    expect(await read).toMatchObject({ kind: 'refused', why: 'too-large' });
  });
});

describe('a mirror', () => {
  async function mirrored(script: Script) {
    const memory = memoryRegistry();
    memory.keep('team/app', one.manifest, 'latest');
    const own = await world.open('registry.test', memory.script);
    const mirror = await world.open('mirror.test', script);
    const mirrors = [{ of: own.host, at: `${mirror.host}/hub` }];
    const registry = registryOver(world.outside(), { mirrors });
    return { own, mirror, registry, place: { registry: own.host, repository: 'team/app' } };
  }

  it('is asked before the registry', async () => {
    const memory = memoryRegistry();
    memory.keep('hub/team/app', two.manifest, 'latest');
    const { own, registry, place } = await mirrored(memory.script);
    expect(await registry.manifest(place, as())).toMatchObject({ digest: two.manifest.digest });
    expect(own.heard).toEqual([]);
  });

  it.each<[string, Script]>([
    ['does not have it', (_, response) => response.writeHead(404).end()],
    ['fails', (_, response) => response.writeHead(500).end()],
    ['is gone', (_, response) => response.destroy()],
    ['sends something else', (_, response) => send(response, two.manifest)],
  ])('that %s is passed over', async (_, script) => {
    const { registry, place } = await mirrored(script);
    const { digest } = one.manifest;
    expect(await registry.manifest({ ...place, digest }, as())).toMatchObject({ kind: 'found' });
  });

  it('is shown its own password and never that of the registry', async () => {
    const asking: Script = (_, response) =>
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    const { own, mirror, registry, place } = await mirrored(asking);
    const access = as([passwordAt(own.host, 'u', 'p')]);
    expect(await registry.manifest(place, access)).toMatchObject({ kind: 'found' });
    expect(mirror.heard.map(({ authorization }) => authorization)).toEqual([undefined]);
  });
});
