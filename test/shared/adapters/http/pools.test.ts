import { once } from 'node:events';
import { type Agent, createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openPools } from '#shared/adapters/http/pools.ts';
import type { OutsideHost } from '#shared/domain/outside.ts';
import { until } from '#test/support/until.ts';

const most = 8;
/** Of one origin each: this machine has many addresses. */
const hosts = (count: number, from = 10) =>
  Array.from({ length: count }, (_, at) => `127.0.0.${from + at}`);

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server at all addresses of this machine, and pools that lead there. */
async function opened() {
  const count = { open: 0, made: 0 };
  const server = createServer((request, response) => {
    if (request.url === '/close') response.setHeader('connection', 'close');
    if (request.url === '/later') response.on('close', () => setImmediate(hangUpOn, request));
    response.end('x');
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    count.open += 1;
    count.made += 1;
    socket.on('close', () => {
      count.open -= 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  const pools = openPools({ connectionsPerHost: 4, mostIdle: most });
  closing.push(
    pools.close,
    () => server.close(),
    () => server.closeAllConnections(),
  );

  /** Each read to its end, and its connection given back. */
  const read = async (name: string, { path = '', host = undefined }: How = {}) => {
    const url = new URL(`http://${name}:${port}/${path}`);
    const agent = pools.for(url, { reach: 'internal', host });
    const request = get(url, { agent });
    const [answer]: IncomingMessage[] = await once(request, 'response');
    answer?.resume();
    await once(request, 'close');
    return agent;
  };
  const readAll = async (names: readonly string[], how?: How) => {
    for (const name of names) await read(name, how);
  };
  return { count, read, readAll };
}

function hangUpOn({ socket }: IncomingMessage): void {
  socket.destroy();
}

type How = { readonly path?: string; readonly host?: OutsideHost };

describe('idle connections to hosts that nobody configured', () => {
  it('are so many at most, however many hosts have answered', async () => {
    const { count, readAll } = await opened();
    await readAll(hosts(40));
    await until(() => count.open <= most);
    expect(count).toEqual({ open: most, made: 40 });
  });

  it('are so many as well where all are answered at once', async () => {
    const { count, read } = await opened();
    await Promise.all(hosts(40).map((host) => read(host)));
    await until(() => count.open <= most);
    expect(count).toEqual({ open: most, made: 40 });
  });

  it('stay with a host that is asked often, and with the newest of the others', async () => {
    const { count, readAll } = await opened();
    for (const host of hosts(20)) await readAll(['127.0.0.2', host]);
    expect(count.made).toBe(1 + 20);
    await readAll(hosts(20).slice(1 - most));
    expect(count.made).toBe(1 + 20);
    await readAll(hosts(1));
    expect(count.made).toBe(1 + 20 + 1);
  });

  it('take no room once they are closed, by whomever', async () => {
    const { count, read, readAll } = await opened();
    await read('127.0.0.2');
    await readAll(hosts(40), { path: 'close' });
    await readAll(hosts(most - 1), { path: 'later' });
    await until(() => count.open === 1);
    await readAll(hosts(most - 1, 100));
    const made = 1 + 40 + 2 * (most - 1);
    expect(count).toEqual({ open: most, made });
    await readAll(['127.0.0.2', ...hosts(most - 1, 100)]);
    expect(count).toEqual({ open: most, made });
  });

  it('are listened to once, however often they are taken up', async () => {
    const { count, read, readAll } = await opened();
    const listened = ({ freeSockets }: Agent) =>
      Object.values(freeSockets).map((each) => each?.[0]?.listenerCount('close'));
    const first = listened(await read('127.0.0.2'));
    await readAll(Array.from({ length: 20 }, () => '127.0.0.2'));
    expect(listened(await read('127.0.0.2'))).toEqual(first);
    expect(count.made).toBe(1);
  });

  it('take none from a host that is configured', async () => {
    const { count, readAll } = await opened();
    const own = { host: { host: 'own.test' } };
    await readAll(hosts(most), own);
    await readAll(hosts(40, 100));
    await until(() => count.open <= 2 * most);
    await readAll(hosts(most), own);
    expect(count).toEqual({ open: 2 * most, made: most + 40 });
  });
});
