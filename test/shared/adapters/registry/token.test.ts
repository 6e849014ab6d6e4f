import { afterEach, describe, expect, it } from 'vitest';
import { guarded, memoryRegistry } from '#test/support/registry/memory-registry.ts';
import { openWorld } from '#test/support/registry/outside-world.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { as, passwordAt, registryOver, tokenAt } from '#test/support/registry/registry-world.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';
import { tokenScript } from '#test/support/registry/token-script.ts';

const world = openWorld();
afterEach(() => world.close());

const image = makeImage('app');
const repository = 'team/app';
const scope = `repository:${repository}:pull`;
const memory = memoryRegistry();
for (const name of [repository, 'team/other']) memory.keep(name, image.manifest, 'latest');

/** A registry that gives what it has for tokens of its own. */
async function withTokens(extra: object = {}, isOpen = false) {
  const tokens = tokenScript({ alice: 'word' }, extra, isOpen);
  const script: Script = (request, response, heard) => {
    if (heard.path.startsWith('/token')) return tokens.script(request, response, heard);
    const challenge = `Bearer realm="http://${request.headers.host}/token",service="r",scope="registry:catalog:*"`;
    const named = `repository:${heard.path.split('/').slice(2, 4).join('/')}:pull`;
    guarded(memory.script, challenge, (shown) => tokens.gave(shown, named))(
      request,
      response,
      heard,
    );
  };
  const host = await world.open('registry.test', script);
  const time = { now: 0 };
  const registry = registryOver(world.outside(), {}, time);
  return { tokens, host, time, registry, place: { registry: host.host, repository } };
}

describe('a token', () => {
  it('is got for the password, for this repository and for reading alone', async () => {
    const { tokens, host, registry, place } = await withTokens();
    const access = as([passwordAt(host.host, 'alice', 'word')]);
    expect(await registry.manifest(place, access)).toMatchObject({ kind: 'found' });
    expect(tokens.given).toEqual([{ user: 'alice', scope }]);
    const [, asking] = host.heard;
    expect(asking?.path).toBe(`/token?service=r&scope=${encodeURIComponent(scope)}`);
  });

  it('is got for an identity token, which is posted', async () => {
    const { tokens, host, registry, place } = await withTokens();
    const access = as([tokenAt(host.host, 'identity-token', 'identity of alice')]);
    expect(await registry.manifest(place, access)).toMatchObject({ kind: 'found' });
    expect(tokens.given).toEqual([{ user: 'alice', scope }]);
    expect(host.heard.map(({ path }) => path).join()).not.toContain('identity');
  });

  it('is got for nobody where the server is open', async () => {
    const { tokens, registry, place } = await withTokens({}, true);
    expect(await registry.manifest(place, as())).toMatchObject({ kind: 'found' });
    expect(tokens.given).toEqual([{ user: 'nobody', scope }]);
  });

  it('of the registry is shown as it is', async () => {
    const script = guarded(memory.script, 'Bearer realm="x"', (shown) => shown === 'Bearer mine');
    const { host } = await world.open('registry.test', script);
    const registry = registryOver(world.outside());
    const read = (token: string) =>
      registry.manifest(
        { registry: host, repository },
        as([tokenAt(host, 'registry-token', token)]),
      );
    expect(await read('mine')).toMatchObject({ kind: 'found' });
    expect(await read('mine\r\nX: y')).toMatchObject({ kind: 'refused' });
  });

  it('serves until shortly before it ends, per repository and account', async () => {
    const { tokens, host, time, registry, place } = await withTokens({ expires_in: 300 }, true);
    const alice = as([passwordAt(host.host, 'alice', 'word')]);
    const read = (access = alice, name = repository) =>
      registry.manifest({ ...place, repository: name }, access);
    await read();
    await read();
    expect(tokens.given).toHaveLength(1);
    await read(as());
    await read(alice, 'team/other');
    expect(tokens.given.map(({ user }) => user)).toEqual(['alice', 'nobody', 'alice']);
    time.now = 289_000;
    await read();
    expect(tokens.given).toHaveLength(3);
    time.now = 291_000;
    expect(await read()).toMatchObject({ kind: 'found' });
    expect(tokens.given).toHaveLength(4);
  });

  it.each([
    ['does not say how long', {}, 49_000, 51_000],
    ['says too short', { expires_in: 1 }, 49_000, 51_000],
    ['says for ever', { expires_in: 1e12 }, 3_589_000, 3_591_000],
  ])('that %s it holds, holds for a bounded time', async (_, extra, during, after) => {
    const { tokens, time, registry, place } = await withTokens(extra, true);
    await registry.manifest(place, as());
    time.now = during;
    await registry.manifest(place, as());
    expect(tokens.given).toHaveLength(1);
    time.now = after;
    await registry.manifest(place, as());
    expect(tokens.given).toHaveLength(2);
  });

  it('that the registry has forgotten is got again', async () => {
    const { tokens, registry, place } = await withTokens({}, true);
    await registry.manifest(place, as());
    (tokens.given as unknown[]).splice(0, 1, { user: 'gone', scope: 'gone' });
    expect(await registry.manifest(place, as())).toMatchObject({ kind: 'found' });
    expect(tokens.given).toHaveLength(2);
  });

  it.each<[string, Script, object]>([
    ['refuses', (_, response) => response.writeHead(401).end(), { kind: 'refused', why: 'denied' }],
    [
      'is busy',
      (_, response) => response.writeHead(429).end(),
      { kind: 'unavailable', why: 'busy' },
    ],
    [
      'fails',
      (_, response) => response.writeHead(502).end(),
      { kind: 'unavailable', why: 'server-error' },
    ],
    [
      'is not there',
      (_, response) => response.writeHead(404).end(),
      { kind: 'refused', why: 'challenge' },
    ],
    ['sends noise', (_, response) => response.end('<html>'), { kind: 'refused', why: 'challenge' }],
    [
      'sends no token',
      (_, response) => response.end('{"token":""}'),
      { kind: 'refused', why: 'challenge' },
    ],
    [
      'sends a number',
      (_, response) => response.end('{"token":7}'),
      { kind: 'refused', why: 'challenge' },
    ],
    [
      'sends two lines',
      (_, response) => response.end('{"token":"a\\r\\nX: b"}'),
      { kind: 'refused', why: 'challenge' },
    ],
    [
      'sends too much',
      (_, response) => response.end('x'.repeat(100_000)),
      { kind: 'refused', why: 'too-large' },
    ],
    ['hangs up', (_, response) => response.destroy(), { kind: 'unavailable', why: 'broken-off' }],
  ])('is not had where its server %s', async (_, script, outcome) => {
    const server = await world.open('token.test', script);
    const challenge = `Bearer realm="http://${server.host}/"`;
    const { host } = await world.open(
      'registry.test',
      guarded(memory.script, challenge, () => false),
    );
    const registry = registryOver(world.outside());
    expect(await registry.manifest({ registry: host, repository }, as())).toMatchObject(outcome);
  });
});
