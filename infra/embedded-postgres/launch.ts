import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { signOf } from './left-over.ts';
import { notStarted } from './not-started.ts';
import { type Supervised, supervise } from './supervised.ts';
import type { Way } from './way.ts';

export type Launch = {
  /** Of the binaries. */
  readonly root: string;
  readonly libraries: string;
  readonly data: string;
  readonly way: Way;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: (text: string) => void;
  /** Its process has begun. */
  readonly onLaunched: () => void;
  /** Which port to try; tests take one that is not free. */
  readonly pickPort?: () => Promise<number>;
};

export type Launched = { readonly port: number; readonly server: Supervised };

/** Small: it runs beside everything else on somebody's laptop. Errors are the client's to log, and hold data. */
const standing = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '32MB',
  // Each new 16 MiB of its log would be written twice, the first time all at once: commits wait 40 to 100 ms for that.
  wal_init_zero: 'off',
  cluster_name: 'gatehouse',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
};

const tries = 20;

/** Between picking a port and taking it somebody else may; then another one. */
export async function launch(launching: Launch): Promise<Launched> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await (launching.pickPort ?? freePort)();
    const server = supervise(program(launching, port), launching.way);
    server.onLine(launching.log);
    launching.onLaunched();
    const outcome = await readiness(server);
    if (outcome === 'ready') return { port, server };
    if (outcome === 'failed' || attempt === tries) {
      throw notStarted({ what: 'did not start', folder: launching.data, said: server.said() });
    }
    if (outcome === 'still-held') await sleep(250);
  }
}

function program({ root, libraries, data, settings }: Launch, port: number) {
  const all = { ...standing, ...settings, port: String(port) };
  const stated = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const args = ['-D', data, ...stated];
  return { command: join(root, 'bin/postgres'), args, libraries, running: signOf(data) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

type Outcome = 'ready' | 'port-taken' | 'still-held' | 'failed';

async function readiness(server: Supervised): Promise<Outcome> {
  const ready = new Promise<Outcome>((resolve) => {
    server.onLine((line) => {
      if (line.includes('ready to accept connections')) resolve('ready');
    });
  });
  return Promise.race([ready, server.ended.then(() => outcomeOf(server.said()))]);
}

export function outcomeOf(said: string): Outcome {
  if (/could not (bind|create any TCP)/.test(said)) return 'port-taken';
  // Backends of a killed server, which are about to notice.
  if (/pre-existing shared memory block/.test(said)) return 'still-held';
  return 'failed';
}
