import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

export type CountingProxy = {
  /** The same database, through here. */
  readonly url: string;
  /** How often something was asked: each query is one send, or a few. */
  asked(): number;
  close(): void;
};

/** Between one process and Postgres. */
export async function countingProxy(databaseUrl: string): Promise<CountingProxy> {
  const there = new URL(databaseUrl);
  let asked = 0;
  const server = createServer((from) => {
    const to = connect(Number(there.port), there.hostname);
    from.on('data', () => {
      asked += 1;
    });
    from.pipe(to).pipe(from);
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = Object.assign(new URL(databaseUrl), {
    hostname: '127.0.0.1',
    port: String(port),
  }).href;
  return { url, asked: () => asked, close: () => server.close() };
}
