import { once } from 'node:events';
import { connect as connectH2 } from 'node:http2';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { KeyPair } from '#shared/ports.ts';
import {
  type ListenOptions,
  listenSecurely,
  type SecureListening,
} from '#shared/runtime/listen.ts';
import { makeCa, makeLeaf, servername } from '../../support/tls.ts';

const open: SecureListening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close(0)));
});

const echo = async (asked: Request) => new Response(await asked.text());

async function listening(given: Partial<ListenOptions> & { minTls?: '1.2' | '1.3' } = {}) {
  const ca = await makeCa();
  const pair = await makeLeaf(ca);
  const { minTls = '1.3', ...rest } = given;
  const server = await listenSecurely({
    address: '127.0.0.1',
    port: 0,
    fetch: echo,
    pair,
    minTls,
    ...rest,
  });
  open.push(server);
  return { server, ca };
}

type To = { readonly server: SecureListening; readonly ca: Pick<KeyPair, 'certificate'> };

function dial({ server, ca }: To, options: object = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host: '127.0.0.1', port: server.port, ca: ca.certificate, servername, ...options },
      () => resolve(socket),
    );
    socket.once('error', reject);
  });
}

function send({ server, ca }: To, body: string, agent?: Agent) {
  return new Promise<{ readonly body: string; readonly connection: string | undefined }>(
    (resolve, reject) => {
      const call = request(
        {
          host: '127.0.0.1',
          port: server.port,
          method: 'POST',
          ca: ca.certificate,
          servername,
          ...(agent === undefined ? {} : { agent }),
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({
              body: Buffer.concat(chunks).toString(),
              connection: response.headers.connection,
            }),
          );
        },
      );
      call.on('error', reject);
      call.end(body);
    },
  );
}

function readToEnd(socket: TLSSocket): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
}

describe('the TLS listener', () => {
  it('refuses TLS 1.2 by default, and takes it by configuration', async () => {
    const old = { maxVersion: 'TLSv1.2', minVersion: 'TLSv1.2' };
    await expect(dial(await listening(), old)).rejects.toThrow();

    const socket = await dial(await listening({ minTls: '1.2' }), old);
    expect(socket.getProtocol()).toBe('TLSv1.2');
    socket.destroy();
  });

  it.each([
    [['http/1.1'], 'http/1.1'],
    [['h2', 'http/1.1'], 'h2'],
  ])('answers a client that offers %j in %s', async (ALPNProtocols, expected) => {
    const socket = await dial(await listening(), { ALPNProtocols });
    expect(socket.alpnProtocol).toBe(expected);
    socket.destroy();
  });

  it('answers over h2', async () => {
    const to = await listening();
    const session = connectH2(`https://127.0.0.1:${to.server.port}`, {
      ca: to.ca.certificate,
      servername,
    });
    const stream = session.request({ ':method': 'POST' });
    stream.end('over h2');
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    session.close();
    expect(Buffer.concat(chunks).toString()).toBe('over h2');
  });

  it('serves a new leaf to new connections and keeps the old ones alive', async () => {
    const to = await listening();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await send(to, 'one', agent);

    const ca = await makeCa();
    to.server.setCertificate(await makeLeaf(ca));
    expect((await send(to, 'two', agent)).body).toBe('two');
    await expect(send(to, 'three')).rejects.toThrow();
    expect((await send({ ...to, ca }, 'four')).body).toBe('four');
    agent.destroy();
  });

  it('holds to TLS 1.3 after a new leaf', async () => {
    const to = await listening();
    const ca = await makeCa();
    to.server.setCertificate(await makeLeaf(ca));
    const old = { maxVersion: 'TLSv1.2', minVersion: 'TLSv1.2' };
    await expect(dial({ ...to, ca }, old)).rejects.toThrow();
  });

  const limits = { headMs: 60, requestMs: 100, checkMs: 20 };
  it.each([
    ['whose head never ends', 'POST / HTTP/1.1\r\nHost: a\r\n'],
    ['whose body stops half way', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf'],
  ])('lets go of a sender %s', async (_, start) => {
    const socket = await dial(await listening({ limits }));
    socket.write(start);
    expect(await readToEnd(socket)).toMatch(/^(HTTP\/1.1 408 Request Timeout|$)/);
  });

  it('lets go of a sender over h2 whose body stops half way, and of nobody else there', async () => {
    const { server, ca } = await listening({ limits });
    const address = `https://127.0.0.1:${server.port}`;
    const session = connectH2(address, { ca: ca.certificate, servername });
    const half = session.request({ ':method': 'POST' });
    half.on('error', () => undefined);
    half.write('half');
    await once(half, 'close');
    expect(half.rstCode).toBe(8);

    const whole = session.request({ ':method': 'POST' });
    whole.end('whole');
    expect(await text(whole)).toBe('whole');
    session.close();
  });

  it('survives a sender that leaves in the middle of its body', async () => {
    const to = await listening();
    const socket = await dial(to);
    socket.end('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf');
    socket.destroy();
    expect((await send(to, 'still here')).body).toBe('still here');
  });
});

describe('closing', () => {
  it('gives connections back after their answer, and cuts nothing in flight', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const to = await listening({
      fetch: async (asked) => {
        const text = await asked.text();
        if (text === 'slow') {
          arrive();
          await held;
        }
        return new Response(text);
      },
    });
    const agent = new Agent({ keepAlive: true });
    expect((await send(to, 'before', agent)).connection).toBe('keep-alive');

    to.server.startClosing();
    expect((await send(to, 'meanwhile', agent)).connection).toBe('close');

    const slow = send(to, 'slow', agent);
    await arrived;
    const closed = to.server.close(10_000);
    release();
    expect(await slow).toMatchObject({ body: 'slow', connection: 'close' });
    await closed;
    await expect(send(to, 'after')).rejects.toThrow();
    agent.destroy();
  });

  it('tells also what was in flight when it started that the connection ends', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const to = await listening({
      fetch: async (asked) => {
        arrive();
        await held;
        return new Response(await asked.text());
      },
    });
    const slow = send(to, 'slow', new Agent({ keepAlive: true }));
    await arrived;
    to.server.startClosing();
    release();
    expect(await slow).toMatchObject({ body: 'slow', connection: 'close' });
  });

  it('does not wait for a connection that says nothing', async () => {
    const to = await listening();
    const socket = await dial(to);
    const ended = readToEnd(socket);
    await to.server.close(50);
    await ended;
    expect(socket.destroyed).toBe(true);
  });
});
