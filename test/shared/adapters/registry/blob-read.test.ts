import { afterEach, describe, expect, it } from 'vitest';
import { guarded, memoryRegistry, send } from '#test/support/registry/memory-registry.ts';
import { openWorld } from '#test/support/registry/outside-world.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { as, passwordAt, registryIn } from '#test/support/registry/registry-world.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';

const world = openWorld();
afterEach(() => world.close());

const one = makeImage('one');
const two = makeImage('two');

const at = (script: Script, repository?: string) => registryIn(world, script, repository);

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

  it('is read by a small limit also where the demand for a password has more to say', async () => {
    const memory = memoryRegistry();
    memory.keepBlob('team/app', one.layer);
    const { host, place, registry } = await at((request, response, heard) => {
      if (heard.authorization !== undefined) return memory.script(request, response, heard);
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end('x'.repeat(5_000));
    });
    const access = as([passwordAt(host.host, 'u', 'p')]);
    expect(await registry.blob({ ...place, ...asked }, access)).toMatchObject({ kind: 'found' });
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
