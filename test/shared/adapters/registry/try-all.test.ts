import { afterEach, describe, expect, it } from 'vitest';
import { memoryRegistry, send } from '#test/support/registry/memory-registry.ts';
import { openWorld } from '#test/support/registry/outside-world.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { as, passwordAt, registryOver } from '#test/support/registry/registry-world.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';

const world = openWorld();
afterEach(() => world.close());

const one = makeImage('one');
const two = makeImage('two');

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
