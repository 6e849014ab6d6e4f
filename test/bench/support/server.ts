import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { Peer } from './connection.ts';
import { type Started, start } from './processes.ts';

/** A server under measurement. */
export type Served = Started & { readonly peer: Peer; readonly path: string };

export type Serving = {
  readonly peer: Peer;
  readonly path: string;
  /** Arguments of node: flags, file, arguments. */
  readonly node: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

/** Returns once TLS answers. */
export async function serve({ peer, path, node, env }: Serving): Promise<Served> {
  const started = start({
    core: 'servers',
    command: [process.execPath, ...node],
    ...(env === undefined ? {} : { env }),
  });
  await untilTlsAnswers(peer, started);
  return { ...started, peer, path };
}

async function untilTlsAnswers(peer: Peer, { child }: Started): Promise<void> {
  const giveUpAt = performance.now() + 20_000;
  while (!(await tlsAnswers(peer))) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    if (performance.now() > giveUpAt) throw new Error(`nothing answers on port ${peer.port}`);
    await after(20);
  }
}

function tlsAnswers({ port, serverName, ca }: Peer): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, servername: serverName, ca });
    const settle = (answers: boolean) => {
      socket.destroy();
      resolve(answers);
    };
    socket.once('secureConnect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}

/** Free a moment ago: between this and its use nobody else on a quiet machine takes it. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
