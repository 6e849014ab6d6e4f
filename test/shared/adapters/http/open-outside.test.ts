import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  asked,
  loopback,
  openWorld,
  outsideOf,
  saying,
  textIn,
} from '#test/support/registry/outside-world.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';
import { makeCa, makeLeaf } from '#test/support/tls.ts';
import { until } from '#test/support/until.ts';

const world = openWorld();
afterEach(() => world.close());

const textAt = (script: Script) => textIn(world, script);

describe('a read from outside', () => {
  it('brings what the server says, with its status and its headers', async () => {
    const answer = await textAt((_, response) => {
      response.writeHead(418, { 'Docker-Thing': 'x' }).end('hello');
    });
    expect(answer).toMatchObject({
      kind: 'answer',
      status: 418,
      headers: { 'docker-thing': 'x' },
      body: Buffer.from('hello'),
    });
  });

  it('keeps both of a header that is sent twice', async () => {
    const answer = await textAt((_, response) => {
      response.writeHead(200, ['content-type', 'text/a', 'content-type', 'text/b']).end();
    });
    expect(answer).toMatchObject({ headers: { 'content-type': 'text/a, text/b' } });
  });

  it.each([
    ['registry.test', 'https://registry.test'],
    ['registry.test:5000', 'https://registry.test:5000'],
    ['plain.test', 'http://plain.test'],
    ['plain.test:80', 'http://plain.test:80'],
    ['PLAIN.test:80', 'http://PLAIN.test:80'],
    ['plain.test:443', 'https://plain.test:443'],
    ['other.test:5000', 'http://other.test:5000'],
  ])('goes to %s at %s', (host, origin) => {
    const plain = ['plain.test:80', 'other.test:5000'].map((name) => ({
      host: name,
      plainHttp: true,
    }));
    expect(outsideOf(plain).originOf(host)).toBe(origin);
  });

  it('takes up a connection again that it has made', async () => {
    const host = await world.open('a.test', saying('x'));
    const outside = world.outside();
    for (let count = 0; count < 3; count++) await outside.read(asked(`http://${host.host}/`));
    expect(host.connections()).toBe(1);
  });

  it('asks again when the server has closed the idle connection', async () => {
    const host = await world.open('a.test', saying('x'));
    const outside = world.outside();
    await outside.read(asked(`http://${host.host}/`));
    host.hangUp();
    expect(await outside.read(asked(`http://${host.host}/`))).toMatchObject({ status: 200 });
  });

  it('has no more connections to a host than it may, and the others wait', async () => {
    const waiting: (() => void)[] = [];
    const host = await world.open('a.test', (_, response) => {
      waiting.push(() => response.end());
    });
    const outside = world.outside({ connectionsPerHost: 2 });
    const reads = Array.from({ length: 5 }, () => outside.read(asked(`http://${host.host}/`)));
    await until(() => waiting.length === 2);
    expect(host.connections()).toBe(2);
    while (host.heard.length < 5 || waiting.length > 0) {
      waiting.shift()?.();
      await new Promise(setImmediate);
    }
    await Promise.all(reads);
    expect(host.connections()).toBe(2);
  });
});

describe('a server that does not speak HTTP as it should', () => {
  it.each([
    ['noise', 'not http at all\r\n\r\n', 'refused', 'malformed'],
    [
      'a length that is none',
      'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n',
      'refused',
      'malformed',
    ],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      'refused',
      'malformed',
    ],
    [
      'a header without an end',
      `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`,
      'refused',
      'too-large',
    ],
    [
      'another protocol unasked',
      'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
      'unavailable',
      'broken-off',
    ],
    ['nothing', '', 'unavailable', 'broken-off'],
  ])('and sends %s', async (_, bytes, kind, why) => {
    const server = createServer((socket: Socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(bytes));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const at = server.address();
    const host = `a.test:${typeof at === 'object' ? at?.port : ''}`;
    const outside = outsideOf([{ host, plainHttp: true, addresses: loopback }]);
    try {
      expect(await outside.read(asked(`http://${host}/`))).toMatchObject({ kind, why });
    } finally {
      outside.close();
      server.close();
    }
  });
});

describe('TLS', () => {
  it('trusts the CA of the host that it was configured for, and no other', async () => {
    const ca = await makeCa();
    const pair = await makeLeaf(ca, 'a.test', 'b.test');
    const secure = openWorld(ca.certificate);
    const { host, port } = await secure.open('a.test', saying('x'), pair);
    const outside = outsideOf([
      { host, ca: ca.certificate, addresses: loopback },
      { host: `b.test:${port}`, addresses: loopback },
      { host: `c.test:${port}`, ca: ca.certificate, addresses: loopback },
    ]);
    const read = (name: string) => outside.read(asked(`https://${name}:${port}/`));
    expect(await read('a.test')).toMatchObject({ kind: 'answer', status: 200 });
    expect(await read('b.test')).toMatchObject({ kind: 'unavailable', why: 'tls' });
    // Its certificate names others.
    expect(await read('c.test')).toMatchObject({ kind: 'unavailable', why: 'tls' });
    outside.close();
    await secure.close();
  });

  it('is not left out unless the host is configured so', async () => {
    const { host } = await world.open('a.test', saying('x'));
    const outside = outsideOf([{ host, addresses: loopback }]);
    expect(await outside.read(asked(`http://${host}/`))).toMatchObject({ why: 'plain-http' });
    expect(await outside.read(asked(`https://${host}/`))).toMatchObject({
      kind: 'unavailable',
      why: 'tls',
    });
    outside.close();
  });
});

describe('an end', () => {
  it('comes at once when the caller gives up, also while it waits for a connection', async () => {
    const { host } = await world.open('a.test', () => {});
    const outside = world.outside({ connectionsPerHost: 1 });
    const controller = new AbortController();
    const reads = Array.from({ length: 3 }, () =>
      outside.read(asked(`http://${host}/`, { signal: controller.signal })),
    );
    controller.abort();
    for (const read of await Promise.all(reads)) {
      expect(read).toMatchObject({ kind: 'unavailable', why: 'given-up' });
    }
  });

  it.each([
    ['nobody listens', async () => [{ address: '127.0.0.1', family: 4 }], 'no-connection'],
    ['the name is unknown', async () => [], 'no-address'],
    [
      'names cannot be resolved',
      () => Promise.reject(Object.assign(new Error('no'), { code: 'EAI_AGAIN' })),
      'no-address',
    ],
    ['names are never resolved', () => new Promise<never>(() => {}), 'too-slow'],
  ])('is told where %s', async (_, resolve, why) => {
    const outside = outsideOf([{ host: 'a.test:9', plainHttp: true, addresses: loopback }], {
      resolve,
      deadlineMs: why === 'too-slow' ? 50 : 10_000,
    });
    expect(await outside.read(asked('http://a.test:9/'))).toMatchObject({
      kind: 'unavailable',
      why,
    });
    outside.close();
  });

  it('is told of what cannot be sent', async () => {
    const { host } = await world.open('a.test', saying('x'));
    const read = world.outside().read(asked(`http://${host}/`, { authorization: 'a\nb' }));
    expect(await read).toMatchObject({ kind: 'refused', why: 'bad-url' });
    expect(await world.outside().read(asked('nonsense'))).toMatchObject({ why: 'bad-url' });
  });
});
