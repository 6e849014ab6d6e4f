import { afterEach, describe, expect, it } from 'vitest';
import { memoryRegistry } from '#test/support/registry/memory-registry.ts';
import { openWorld } from '#test/support/registry/outside-world.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { as, passwordAt, registryIn, registryOver } from '#test/support/registry/registry-world.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';

const world = openWorld();
afterEach(() => world.close());

const one = makeImage('one');

const at = (script: Script, repository?: string) => registryIn(world, script, repository);

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
