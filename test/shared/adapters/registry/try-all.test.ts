import { afterEach, describe, expect, it } from 'vitest';
import { leftOutLogin, unreadLogin } from '#shared/domain/registry/credential.ts';
import { basicFor, guarded, memoryRegistry, send } from '#test/support/registry/memory-registry.ts';
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

describe('credentials that could not be read', () => {
  const page = { 'content-type': 'text/html' };
  it.each<[string, Script]>([
    ['401', (_, response) => response.writeHead(401).end()],
    ['403', (_, response) => response.writeHead(403).end()],
    ['404', (_, response) => response.writeHead(404).end()],
    ['400', (_, response) => response.writeHead(400).end()],
    ['a page for people', (_, response) => response.writeHead(200, page).end('<html>')],
  ])('may be those that open what is refused by %s', async (_, script) => {
    const { host } = await world.open('registry.test', script);
    const registry = registryOver(world.outside());
    const place = { registry: host, repository: 'team/app' };
    const some = [passwordAt(host, 'alice', 'word'), unreadLogin];
    const away = { kind: 'unavailable', why: 'login-unread' };
    for (const logins of [some, [unreadLogin]]) {
      expect(await registry.manifest(place, as(logins))).toMatchObject(away);
    }
    expect(await registry.manifest(place, as())).not.toMatchObject(away);
  });

  it('are not waited for by what is open, nor by what is missing to whoever is shown the rest', async () => {
    const memory = memoryRegistry();
    memory.keep('team/app', one.manifest, 'latest');
    const { host } = await world.open('registry.test', memory.script);
    const registry = registryOver(world.outside());
    const place = { registry: host, repository: 'team/app' };
    const access = as([unreadLogin]);
    expect(await registry.manifest(place, access)).toMatchObject({ kind: 'found' });
    const { digest } = one.manifest;
    const beside = { ...place, tag: 'none', subject: digest };
    expect(await registry.manifest(beside, access)).toMatchObject({ kind: 'not-found' });
    const hidden = { ...place, tag: 'none', subject: two.manifest.digest };
    expect(await registry.manifest(hidden, access)).toMatchObject({ why: 'login-unread' });
    const query = { ...place, digest };
    expect(await registry.referrers(query, access)).toMatchObject({ descriptors: [] });
  });
});

describe('credentials that were left out', () => {
  it.each([401, 403, 404, 400])('are told of to whoever is refused by %i', async (status) => {
    const { host } = await world.open('registry.test', (_, response) =>
      response.writeHead(status).end(),
    );
    const registry = registryOver(world.outside());
    const place = { registry: host, repository: 'team/app' };
    const access = as([passwordAt(host, 'alice', 'word'), leftOutLogin('more than 2')]);
    const told = { kind: 'refused', why: 'login-left-out', about: 'more than 2' };
    expect(await registry.manifest(place, access)).toMatchObject(told);
  });

  it('change nothing where the others open it', async () => {
    const memory = memoryRegistry();
    memory.keep('team/app', one.manifest, 'latest');
    const { host } = await world.open('registry.test', memory.script);
    const place = { registry: host, repository: 'team/app' };
    const read = registryOver(world.outside()).manifest(place, as([leftOutLogin('more than 2')]));
    expect(await read).toMatchObject({ kind: 'found' });
  });
});

describe('another password', () => {
  it.each([400, 401, 403, 404])('is tried where the first is refused by %i', async (status) => {
    const memory = memoryRegistry();
    memory.keep('team/app', one.manifest, 'latest');
    const { host } = await world.open('registry.test', (request, response, heard) => {
      const { authorization } = heard;
      if (authorization === basicFor('bob', 'new')) memory.script(request, response, heard);
      else if (authorization !== undefined) response.writeHead(status).end();
      else response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    });
    const registry = registryOver(world.outside());
    const old = passwordAt(`${host}/team`, 'alice', 'old');
    const access = as([old, passwordAt(host, 'bob', 'new')]);
    const place = { registry: host, repository: 'team/app' };
    expect(await registry.manifest(place, access)).toMatchObject({ kind: 'found' });
  });

  it('is tried though the wrong one stands in many Secrets, which is shown once', async () => {
    const memory = memoryRegistry();
    memory.keep('team/app', one.manifest, 'latest');
    const { host, heard } = await world.open(
      'registry.test',
      guarded(memory.script, 'Basic realm="x"', (shown) => shown === basicFor('bob', 'new')),
    );
    const registry = registryOver(world.outside());
    const wrong = Array.from({ length: 12 }, () => passwordAt(`${host}/team`, 'alice', 'old'));
    const access = as([...wrong, passwordAt(host, 'bob', 'new')]);
    const place = { registry: host, repository: 'team/app' };
    expect(await registry.manifest(place, access)).toMatchObject({ kind: 'found' });
    const shown = heard.map(({ authorization }) => authorization);
    expect(shown.filter((each) => each === basicFor('alice', 'old'))).toHaveLength(1);
  });

  it.each([
    [8, { kind: 'refused', why: 'denied' }],
    [9, { why: 'login-left-out', about: expect.stringContaining('more than 8 different logins') }],
  ])('is told of where of %d the last is not tried', async (count, told) => {
    const memory = memoryRegistry();
    const { host, heard } = await world.open(
      'registry.test',
      guarded(memory.script, 'Basic realm="x"', () => false),
    );
    const registry = registryOver(world.outside());
    const access = as(Array.from({ length: count }, (_, at) => passwordAt(host, `u${at}`, 'old')));
    const place = { registry: host, repository: 'team/app' };
    expect(await registry.manifest(place, access)).toMatchObject(told);
    const shown = new Set(heard.map(({ authorization }) => authorization));
    shown.delete(undefined);
    expect(shown.size).toBe(8);
  });

  it('is not looked at behind nine others, however many there are', async () => {
    const refusing: Script = (_, response) => response.writeHead(403).end();
    const { host } = await world.open('registry.test', refusing);
    let looked = 0;
    const logins = Array.from({ length: 2_000 }, (_, at) => {
      const { place, credential } = passwordAt(host, `u${at}`, 'old');
      const toJSON = () => {
        looked += 1;
        return at;
      };
      return { place, credential: { ...credential, toJSON } };
    });
    const place = { registry: host, repository: 'team/app' };
    const read = registryOver(world.outside()).manifest(place, as(logins));
    expect(await read).toMatchObject({ why: 'login-left-out' });
    expect(looked).toBe(9);
  });
});
