import { afterEach, describe, expect, it } from 'vitest';
import { asked, openWorld } from '#test/support/registry/outside-world.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';

const world = openWorld();
afterEach(() => world.close());

const says =
  (text: string): Script =>
  (_, response) => {
    response.end(text);
  };
const leads =
  (location: string, status = 302): Script =>
  (_, response) => {
    response.writeHead(status, { location }).end();
  };

async function textAt(script: Script) {
  const { host } = await world.open('a.test', script);
  return world.outside().read(asked(`http://${host}/`));
}

describe('a redirect', () => {
  const login = { authorization: 'Bearer secret' };

  it('is followed with the login at the same host and without it at another', async () => {
    const other = await world.open('cdn.test', says('content'));
    const host = await world.open('a.test', (request, response, heard) => {
      const next = request.url === '/' ? '/here' : `http://${other.host}/there`;
      leads(next)(request, response, heard);
    });
    const answer = await world.outside().read(asked(`http://${host.host}/`, login));
    expect(answer).toMatchObject({ kind: 'answer', url: `http://${other.host}/there` });
    expect(host.heard.map(({ authorization }) => authorization)).toEqual([
      'Bearer secret',
      'Bearer secret',
    ]);
    expect(other.heard.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  it('to another port of the same name is to another host', async () => {
    const other = await world.open('a.test', says('content'));
    const host = await world.open('a.test', leads(`http://${other.host}/`));
    await world.outside().read(asked(`http://${host.host}/`, login));
    expect(other.heard[0]?.authorization).toBeUndefined();
  });

  it('that comes back has lost the login on its way', async () => {
    const back = { to: '' };
    const other = await world.open('b.test', (...all) => leads(back.to)(...all));
    const host = await world.open('a.test', (request, response, heard) => {
      if (request.url === '/') leads(`http://${other.host}/`)(request, response, heard);
      else response.end('end');
    });
    back.to = `http://${host.host}/end`;
    await world.outside().read(asked(`http://${host.host}/`, login));
    expect(host.heard.map(({ authorization }) => authorization)).toEqual([
      'Bearer secret',
      undefined,
    ]);
  });

  it.each([
    ['in a circle', '/', 'redirect'],
    ['to nowhere', '', 'redirect'],
    ['to what is no URL', 'http://[', 'redirect'],
    ['to the metadata service', 'https://169.254.169.254/latest/', 'address'],
    ['to the metadata service in other words', 'https://2852039166/latest/', 'address'],
    ['to the metadata service over IPv6', 'https://[::ffff:a9fe:a9fe]/', 'address'],
    ['to this machine', 'https://127.0.0.1:9/', 'address'],
    ['to a name on this machine', 'https://unknown.test/', 'address'],
    ['to plain http', 'http://unknown.test/', 'plain-http'],
    ['to a file', 'file:///etc/passwd', 'bad-url'],
    ['with a login', 'https://user:word@unknown.test/', 'bad-url'],
  ])('%s is refused', async (_, location, why) => {
    expect(await textAt(leads(location))).toMatchObject({ kind: 'refused', why });
  });

  it('goes round five times at most', async () => {
    const host = await world.open('a.test', leads('/'));
    await world.outside().read(asked(`http://${host.host}/`));
    expect(host.heard).toHaveLength(6);
  });

  it.each([307, 308, 302])('by %s does not carry on what was posted', async (status) => {
    const other = await world.open('b.test', says('x'));
    const { host } = await world.open('a.test', leads(`http://${other.host}/`, status));
    const form = { refresh_token: 'secret' };
    expect(await world.outside().read(asked(`http://${host}/`, { form }))).toMatchObject({
      kind: 'refused',
      why: 'redirect',
    });
    expect(other.heard).toEqual([]);
  });
});
