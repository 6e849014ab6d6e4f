import type { FakeCluster } from './fake-cluster.ts';
import { type Opened, type Opening, open } from './opening.ts';
import type { Reading } from './parts.ts';
import { idOf } from './served-kinds.ts';
import { handle } from './serving/handling.ts';
import { kubeconfigFor } from './serving/kubeconfig.ts';
import { type Handler, listenPlain, listenSecurely } from './serving/listening.ts';
import type { Keys } from './state/keys.ts';
import { lock } from './state/lock.ts';
import { changing } from './store/changing.ts';
import { openObjects } from './store/objects.ts';
import { openPast } from './store/past.ts';
import type { Store } from './store/store.ts';

export type EmulatedCluster = Omit<FakeCluster, 'close'> & {
  /** Without TLS, where it was asked for: for `curl`. */
  readonly plainUrl: string | undefined;
  /** The admin's, with a token in place of a certificate. */
  readonly tokenKubeconfig: string;
  readonly ca: string;
  readonly reading: Reading;
  /** There was a state in the folder. */
  readonly isResumed: boolean;
  close(graceMs?: number): Promise<void>;
};

export type EmulatedClusterOptions = Partial<Opening> & {
  /** Of plain HTTP beside the other; none where it is left out. */
  readonly plainPort?: number;
};

/** An API server that `kubectl` takes for a real one, with its state in memory and in a folder. */
export async function emulatedCluster(
  options: EmulatedClusterOptions = {},
): Promise<EmulatedCluster> {
  const { directory } = options;
  const unlock = directory === undefined ? async () => {} : await lock(directory);
  try {
    const opened = await open({ log: () => {}, now: () => new Date(), ...options });
    return await served(opened, options, unlock);
  } catch (cause: unknown) {
    await unlock();
    throw cause;
  }
}

async function served(
  opened: Opened,
  options: EmulatedClusterOptions,
  unlock: () => Promise<void>,
): Promise<EmulatedCluster> {
  const { server, store, keys, counts } = opened;
  const { close, ...places } = await listen(options, keys, (request, response) =>
    handle(server, request, response),
  );
  opened.isReachedAt(places.url);
  return {
    ...{ ...places, ...logins(places.url, keys), ...storeDoors(store), requests: counts },
    ...{ faults: opened.faults, reading: opened.reading, isResumed: opened.isResumed },
    async close(graceMs = 0) {
      endWatches(store);
      await close(graceMs);
      try {
        await opened.close();
      } finally {
        await unlock();
      }
    },
  };
}

function storeDoors(store: Store) {
  return {
    ...{ ledger: store.ledger, past: openPast(store), revision: store.revision },
    objects: openObjects(store, changing(store)),
    serve(kind: Parameters<EmulatedCluster['serve']>[0]) {
      if (!store.collections.has(idOf(kind))) store.serve(kind);
    },
  };
}

/** In good order: their clients come again, elsewhere. */
function endWatches(store: Store): void {
  for (const each of store.collections.values()) {
    for (const follower of each.followers()) follower.end('closed');
  }
}

function logins(server: string, { ca, admin, adminToken }: Keys) {
  const at = { server, ca: ca.certificate, name: 'gatehouse' };
  return {
    ca: ca.certificate,
    kubeconfig: kubeconfigFor({ ...at, user: admin }),
    tokenKubeconfig: kubeconfigFor({ ...at, user: { token: adminToken } }),
  };
}

async function listen(
  { port = 0, plainPort }: EmulatedClusterOptions,
  keys: Keys,
  handler: Handler,
) {
  const secured = { port, leaf: keys.leaf, clientCa: keys.ca.certificate };
  const secure = await listenSecurely(secured, handler);
  const plain = plainPort === undefined ? undefined : await listenPlain(plainPort, handler);
  return {
    url: `https://127.0.0.1:${secure.port}`,
    plainUrl: plain && `http://127.0.0.1:${plain.port}`,
    async close(graceMs: number) {
      await Promise.all([secure.close(graceMs), plain?.close(graceMs)]);
    },
  };
}
