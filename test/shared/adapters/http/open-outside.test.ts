import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { asked, loopback, openWorld, outsideOf } from '#test/support/registry/outside-world.ts';
import type { Script } from '#test/support/registry/scripted-host.ts';
import { makeCa, makeLeaf } from '#test/support/tls.ts';
import { until } from '#test/support/until.ts';

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

  it('takes up a connection again that it has made', async () => {
    const host = await world.open('a.test', says('x'));
    const outside = world.outside();
    for (let count = 0; count < 3; count++) await outside.read(asked(`http://${host.host}/`));
    expect(host.connections()).toBe(1);
  });

  it('asks again when the server has closed the idle connection', async () => {
    const host = await world.open('a.test', says('x'));
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

describe('a hostile body', () => {
  it('without an end is cut off at the limit', async () => {
    const pieces = { sent: 0 };
    const answer = await textAt((_, response) => {
      const more = () => {
        pieces.sent++;
        if (!response.destroyed) response.write(Buffer.alloc(16_384), () => setImmediate(more));
      };
      more();
    });
    expect(answer).toMatchObject({ kind: 'refused', why: 'too-large' });
    expect(pieces.sent).toBeLessThan(1_000);
  });

  it('that says how large it is, is not begun', async () => {
    const answer = await textAt((_, response) => {
      response.writeHead(200, { 'content-length': '999999999' }).write('x');
    });
    expect(answer).toMatchObject({ kind: 'refused', why: 'too-large' });
  });

  it('of exactly the limit is taken', async () => {
    const { host } = await world.open('a.test', says('x'.repeat(1_000)));
    const read = (maxBytes: number) => world.outside().read(asked(`http://${host}/`, { maxBytes }));
    expect(await read(1_000)).toMatchObject({ kind: 'answer' });
    expect(await read(999)).toMatchObject({ kind: 'refused', why: 'too-large' });
  });

  it('that comes drop by drop ends with the deadline', async () => {
    const { host } = await world.open('a.test', (_, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const outside = world.outside({ deadlineMs: 200 });
    expect(await outside.read(asked(`http://${host}/`))).toMatchObject({
      kind: 'unavailable',
      why: 'too-slow',
    });
  });

  it('that is compressed is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000));
    const answer = await textAt((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    expect(answer).toMatchObject({ kind: 'refused', why: 'encoded' });
  });

  it('that ends before its length is no answer', async () => {
    const answer = await textAt((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy());
    });
    expect(answer).toMatchObject({ kind: 'unavailable', why: 'broken-off' });
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

describe('an address', () => {
  it.each([
    ['https://127.0.0.1/', 'internal'],
    ['https://[::1]/', 'internal'],
    ['https://0x7f000001/', 'internal'],
    ['https://[fd00:ec2::254]/', 'internal'],
    ['https://168.63.129.16/', 'internal'],
    ['https://10.0.0.1/', 'public'],
    ['https://[::ffff:10.0.0.1]/', 'public'],
    ['https://0.0.0.0/', 'internal'],
  ] as const)('%s is not reached from a read that may reach what is %s', async (url, reach) => {
    const outside = outsideOf([]);
    expect(await outside.read(asked(url, { reach }))).toMatchObject({
      kind: 'refused',
      why: 'address',
    });
  });

  it('is looked up once a connection, and the one that was checked is connected to', async () => {
    const { host } = await world.open('a.test', says('x'));
    const answers = ['127.0.0.1', '127.0.0.2'];
    const outside = outsideOf([{ host, plainHttp: true, addresses: ['127.0.0.1'] }], {
      resolve: async () => [{ address: answers.shift() ?? '', family: 4 }],
    });
    expect(await outside.read(asked(`http://${host}/`))).toMatchObject({ kind: 'answer' });
    expect(answers).toEqual(['127.0.0.2']);
    outside.close();
    // The name has moved since.
    expect(await outside.read(asked(`http://${host}/`))).toMatchObject({
      kind: 'refused',
      why: 'address',
    });
    outside.close();
  });

  it('that may not be reached is left out beside one that may', async () => {
    const { host, heard } = await world.open('a.test', says('x'));
    const outside = outsideOf([{ host, plainHttp: true, addresses: ['127.0.0.1'] }], {
      resolve: async () =>
        ['169.254.169.254', '127.0.0.1'].map((address) => ({ address, family: 4 })),
    });
    expect(await outside.read(asked(`http://${host}/`))).toMatchObject({ kind: 'answer' });
    expect(heard).toHaveLength(1);
    outside.close();
  });

  it('that is private is reached by those who may', async () => {
    const resolve = async () => [{ address: '10.255.255.255', family: 4 }];
    const outside = outsideOf([], { resolve, deadlineMs: 50 });
    const read = (reach: 'public' | 'internal') =>
      outside.read(asked('https://a.test/', { reach }));
    expect(await read('public')).toMatchObject({ kind: 'refused', why: 'address' });
    expect(await read('internal')).toMatchObject({ kind: 'unavailable' });
    outside.close();
  });

  it('behind an open connection is not shared with a read of less reach', async () => {
    const host = await world.open('a.test', says('x'));
    const outside = world.outside();
    await outside.read(asked(`http://${host.host}/`, { reach: 'internal' }));
    await outside.read(asked(`http://${host.host}/`, { reach: 'public' }));
    expect(host.connections()).toBe(2);
  });
});

describe('TLS', () => {
  it('trusts the CA of the host that it was configured for, and no other', async () => {
    const ca = await makeCa();
    const pair = await makeLeaf(ca, 'a.test', 'b.test');
    const secure = openWorld(ca.certificate);
    const { host, port } = await secure.open('a.test', says('x'), pair);
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
    const { host } = await world.open('a.test', says('x'));
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
    const { host } = await world.open('a.test', says('x'));
    const read = world.outside().read(asked(`http://${host}/`, { authorization: 'a\nb' }));
    expect(await read).toMatchObject({ kind: 'refused', why: 'bad-url' });
    expect(await world.outside().read(asked('nonsense'))).toMatchObject({ why: 'bad-url' });
  });
});
