import { afterEach, describe, expect, it } from 'vitest';
import { basicFor, guarded, memoryRegistry } from '#test/support/registry/memory-registry.ts';
import { openWorld } from '#test/support/registry/outside-world.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { as, passwordAt, registryOver, tokenAt } from '#test/support/registry/registry-world.ts';
import { tokenScript } from '#test/support/registry/token-script.ts';

const world = openWorld();
afterEach(() => world.close());

const image = makeImage('app');
const repository = 'team/app';
const scope = `repository:${repository}:pull`;
const memory = memoryRegistry();
for (const name of [repository, 'team/other']) memory.keep(name, image.manifest, 'latest');

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
