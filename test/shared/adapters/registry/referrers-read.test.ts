import { afterEach, describe, expect, it } from 'vitest';
import { memoryRegistry, send } from '#test/support/registry/memory-registry.ts';
import { openWorld } from '#test/support/registry/outside-world.ts';
import {
  contentOf,
  descriptorOf,
  indexType,
  makeImage,
} from '#test/support/registry/pushed-image.ts';
import { as, registryOver } from '#test/support/registry/registry-world.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';

const world = openWorld();
afterEach(() => world.close());

const subject = makeImage('app').manifest;
const repository = 'team/app';
const signature = { ...descriptorOf(makeImage('signature').manifest), artifactType: 'a/signature' };
const listing = { ...descriptorOf(makeImage('listing').manifest), artifactType: 'a/listing' };
const indexOf = (...manifests: readonly object[]) =>
  contentOf(indexType, { schemaVersion: 2, mediaType: indexType, manifests });

const shown = `/v2/${repository}/manifests/${subject.digest}`;

/** Of a registry that shows the image itself to everybody. */
async function referrersAt(script: Script, artifactType?: string) {
  const { host, heard } = await world.open('registry.test', (request, response, told) => {
    if (told.path === shown) send(response, subject);
    else script(request, response, told);
  });
  const query = { registry: host, repository, digest: subject.digest, artifactType };
  const read = await registryOver(world.outside()).referrers(query, as());
  return { host: { heard: heard.filter(({ path }) => path !== shown) }, read };
}

describe('what refers to an image', () => {
  it('is told by the API, and of the wanted type even where the server does not choose', async () => {
    const script: Script = (_, response) => send(response, indexOf(signature, listing));
    const all = await referrersAt(script);
    expect(all.read).toMatchObject({
      by: 'api',
      descriptors: [{ artifactType: 'a/signature' }, { artifactType: 'a/listing' }],
    });
    const some = await referrersAt(script, 'a/signature');
    expect(some.read).toMatchObject({ descriptors: [{ digest: signature.digest }] });
    expect(some.host.heard[0]?.path).toBe(
      `/v2/${repository}/referrers/${subject.digest}?artifactType=a%2Fsignature`,
    );
  });

  it('may come in pages', async () => {
    const { read, host } = await referrersAt((_, response, { path }) => {
      if (path.endsWith('page=2')) return send(response, indexOf(listing));
      const next = `/v2/${repository}/referrers/${subject.digest}?page=2`;
      response.setHeader('link', `<${next}>; rel="next"`);
      send(response, indexOf(signature));
    });
    expect(read).toMatchObject({
      descriptors: [{ digest: signature.digest }, { digest: listing.digest }],
    });
    expect(host.heard).toHaveLength(2);
  });

  it('comes in pages from a host that is written in capitals too', async () => {
    const { host } = await world.open('registry.test', (request, response, { path }) => {
      if (path.endsWith('page=2')) return send(response, indexOf(listing));
      response.setHeader('link', `<${request.url}?page=2>; title="more"; rel="next"`);
      send(response, indexOf(signature));
    });
    const query = { registry: host.toUpperCase(), repository, digest: subject.digest };
    const read = await registryOver(world.outside()).referrers(query, as());
    expect(read).toMatchObject({ descriptors: [{}, { digest: listing.digest }] });
  });

  it('is not read for ever', async () => {
    const { read, host } = await referrersAt((_, response, { path }) => {
      response.setHeader('link', `<${path}>; rel="next"`);
      send(response, indexOf(signature));
    });
    expect(read).toMatchObject({ kind: 'refused', why: 'too-large' });
    expect(host.heard).toHaveLength(10);
  });

  it.each([
    'https://thief.test/x',
    '//thief.test/x',
    '/v2/team/other/referrers/x',
    '/v2/team/app/../x',
    '',
  ])('is not looked for at %j, where a page leads', async (link) => {
    const { read, host } = await referrersAt((_, response) => {
      response.setHeader('link', `<${link}>; rel="next"`);
      send(response, indexOf(signature));
    });
    expect(read).toMatchObject({ kind: 'refused', why: 'redirect' });
    expect(host.heard).toHaveLength(1);
  });

  it.each<[string, Script]>([
    ['does not know the way', (_, response) => response.writeHead(404).end('404 page not found')],
    ['finds the question wrong', (_, response) => response.writeHead(400).end()],
    ['lets nobody go that way', (_, response) => response.writeHead(403).end()],
    ['asks for a login on that way', (_, response) => response.writeHead(401).end()],
    ['finds the method wrong', (_, response) => response.writeHead(405).end()],
    [
      'answers with a page',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('x'),
    ],
  ])('stands under a tag where the registry %s', async (_, without) => {
    const memory = memoryRegistry();
    memory.keep(repository, indexOf(signature, listing), subject.digest.replace(':', '-'));
    const { read } = await referrersAt((request, response, heard) => {
      const isApi = heard.path.includes('/referrers/');
      (isApi ? without : memory.script)(request, response, heard);
    }, 'a/listing');
    expect(read).toMatchObject({ by: 'tag', descriptors: [{ digest: listing.digest }] });
  });

  it('is nothing where there is neither', async () => {
    const { read } = await referrersAt(memoryRegistry().script);
    expect(read).toEqual({ kind: 'found', by: 'tag', descriptors: [] });
  });

  it.each<[string, Script, object]>([
    [
      'fails',
      (_, response) => response.writeHead(500).end(),
      { kind: 'unavailable', why: 'server-error' },
    ],
    ['refuses', (_, response) => response.writeHead(403).end(), { kind: 'refused', why: 'denied' }],
    [
      'sends nonsense',
      (_, response) => send(response, contentOf(indexType, [])),
      { kind: 'refused', why: 'malformed' },
    ],
  ])('is not nothing where the registry %s', async (_, script, outcome) => {
    expect((await referrersAt(script)).read).toMatchObject(outcome);
  });

  it('is not nothing where nobody may ask for it, though there is no tag', async () => {
    const memory = memoryRegistry();
    const { read } = await referrersAt((request, response, heard) => {
      if (heard.path.includes('/referrers/')) response.writeHead(403).end();
      else memory.script(request, response, heard);
    });
    expect(read).toMatchObject({ kind: 'refused', why: 'denied' });
  });

  it('is not known where nobody may ask for it, and what stands under the tag cannot be read', async () => {
    const { read } = await referrersAt((_, response, { path }) => {
      response.writeHead(path.includes('/referrers/') ? 403 : 500).end();
    });
    expect(read).toMatchObject({ kind: 'unavailable', why: 'server-error' });
  });

  it('is not what stands under the tag if that is an image', async () => {
    const memory = memoryRegistry();
    memory.keep(repository, makeImage('x').manifest, subject.digest.replace(':', '-'));
    const { read } = await referrersAt(memory.script);
    expect(read).toMatchObject({ kind: 'refused', why: 'malformed' });
  });
});
