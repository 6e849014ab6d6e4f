import { afterEach, describe, expect, it } from 'vitest';
import { basicFor, guarded, memoryRegistry } from '#test/support/registry/memory-registry.ts';
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

describe('a password', () => {
  const lets = (shown: string | undefined) => shown === basicFor('alice', 'wörd:x');

  it('is shown when it is asked for, and from then on at once', async () => {
    const script = guarded(memory.script, 'Negotiate, Basic realm="x"', lets);
    const host = await world.open('registry.test', script);
    const registry = registryOver(world.outside());
    const place = { registry: host.host, repository };
    const access = as([passwordAt(host.host, 'alice', 'wörd:x')]);
    for (let count = 0; count < 3; count++) {
      expect(await registry.manifest(place, access)).toMatchObject({ kind: 'found' });
    }
    expect(host.heard.map(({ authorization }) => authorization !== undefined)).toEqual([
      false,
      true,
      true,
      true,
    ]);
    // What was opened for one is not open for another.
    expect(await registry.manifest(place, as())).toMatchObject({ why: 'denied' });
  });

  it('that is wrong makes way for the next one, and in the end for none', async () => {
    const isPublic = { now: false };
    const script = guarded(memory.script, 'Basic realm="x"', (shown) =>
      isPublic.now ? shown === undefined : lets(shown),
    );
    const host = await world.open('registry.test', script);
    const registry = registryOver(world.outside());
    const place = { registry: host.host, repository };
    const wrong = passwordAt(`${host.host}/team`, 'alice', 'old');
    const right = passwordAt(host.host, 'alice', 'wörd:x');
    expect(await registry.manifest(place, as([wrong, right]))).toMatchObject({ kind: 'found' });
    expect(await registry.manifest(place, as([wrong]))).toMatchObject({ why: 'denied' });
    isPublic.now = true;
    expect(await registry.manifest(place, as([wrong]))).toMatchObject({ kind: 'found' });
  });

  it.each([
    ['is none', undefined],
    ['is broken', 'Basic realm="x'],
    ['is unknown', 'Digest realm="x"'],
    ['names two realms', 'Bearer realm="http://a.test",realm="http://b.test"'],
    ['names no token server', 'Bearer service="x"'],
    ['names nonsense', 'Bearer realm="::::"'],
  ])('stays here where the challenge %s', async (_, challenge) => {
    const host = await world.open('registry.test', (_request, response) => {
      const headers = challenge === undefined ? {} : { 'www-authenticate': challenge };
      response.writeHead(401, headers).end();
    });
    const registry = registryOver(world.outside());
    const access = as([passwordAt(host.host, 'alice', 'word')]);
    const read = registry.manifest({ registry: host.host, repository }, access);
    expect(await read).toMatchObject({ kind: 'refused', why: 'challenge' });
    expect(host.heard.every(({ authorization }) => authorization === undefined)).toBe(true);
  });

  it('stays here where a redirect leads to a host that asks for one', async () => {
    const thief = await world.open('thief.test', (_, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    });
    const host = await world.open('registry.test', (_, response) => {
      response.writeHead(302, { location: `http://${thief.host}/` }).end();
    });
    const registry = registryOver(world.outside());
    const access = as([passwordAt(host.host, 'a', 'b'), passwordAt(thief.host, 'a', 'b')]);
    const read = registry.manifest({ registry: host.host, repository }, access);
    expect(await read).toMatchObject({ kind: 'refused', why: 'challenge' });
    const all = [...host.heard, ...thief.heard];
    expect(all.every(({ authorization }) => authorization === undefined)).toBe(true);
  });
});

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

describe('a token server on another host', () => {
  async function elsewhere(isOpen: boolean) {
    const tokens = tokenScript({ alice: 'word' }, {}, isOpen);
    const server = await world.open('token.test', tokens.script);
    const challenge = `Bearer realm="http://${server.host}/token",service="r"`;
    const { host } = await world.open(
      'registry.test',
      guarded(memory.script, challenge, (shown) => tokens.gave(shown, scope)),
    );
    return { server, host, tokens };
  }

  it.each([
    ['a password', passwordAt('registry.test', 'alice', 'word')],
    ['an identity token', tokenAt('registry.test', 'identity-token', 'identity of alice')],
  ])('is not shown %s', async (_, { credential }) => {
    const { server, host } = await elsewhere(false);
    const registry = registryOver(world.outside());
    const read = registry.manifest(
      { registry: host, repository },
      as([{ place: host, credential }]),
    );
    expect(await read).toMatchObject({ kind: 'refused', why: 'token-server' });
    expect(server.heard.map(({ authorization, body }) => [authorization, body])).toEqual([
      [undefined, ''],
    ]);
  });

  it('is asked as nobody, which opens what is public', async () => {
    const { host, tokens } = await elsewhere(true);
    const registry = registryOver(world.outside());
    const access = as([passwordAt(host, 'alice', 'word')]);
    expect(await registry.manifest({ registry: host, repository }, access)).toMatchObject({
      kind: 'found',
    });
    expect(tokens.given.map(({ user }) => user)).toEqual(['nobody']);
  });

  it('is shown it where the configuration says that it is the registry’s own', async () => {
    const { server, host, tokens } = await elsewhere(false);
    const registry = registryOver(world.outside(), { tokenServers: { [host]: [server.host] } });
    const access = as([passwordAt(host, 'alice', 'word')]);
    expect(await registry.manifest({ registry: host, repository }, access)).toMatchObject({
      kind: 'found',
    });
    expect(tokens.given.map(({ user }) => user)).toEqual(['alice']);
  });

  it('that hands out a token for one registry hands out none for another', async () => {
    const { server, host, tokens } = await elsewhere(true);
    const thief = await world.open(
      'thief.test',
      guarded(memory.script, `Bearer realm="http://${server.host}/token",service="r"`, () => false),
    );
    const registry = registryOver(world.outside());
    await registry.manifest({ registry: host, repository }, as());
    await registry.manifest({ registry: thief.host, repository }, as());
    expect(thief.heard.map(({ authorization }) => authorization)).toEqual([
      undefined,
      'Bearer token-1',
    ]);
    expect(tokens.given).toHaveLength(2);
  });
});
