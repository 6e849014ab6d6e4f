import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { namespaces } from '#shared/domain/kind.ts';
import { changing } from './changing.ts';
import { type Counts, openCounts } from './counts.ts';
import { serveCustomKinds } from './custom-kinds.ts';
import { type Faults, openFaults } from './faults.ts';
import { handle } from './handling.ts';
import type { Ledger } from './ledger.ts';
import { type Objects, openObjects } from './objects.ts';
import { openPast, type Past } from './past.ts';
import { idOf, type ServedKind } from './served-kinds.ts';
import { openStore } from './store.ts';
import { lineCache } from './watch-line.ts';

export type FakeCluster = {
  readonly url: string;
  /** A kubeconfig's own text. */
  readonly kubeconfig: string;
  readonly objects: Objects;
  /** Serves another kind from now on, as an aggregated API that is registered. */
  serve(kind: ServedKind): void;
  readonly faults: Faults;
  readonly past: Past;
  readonly ledger: Ledger;
  readonly requests: Counts;
  revision(): number;
  close(): Promise<void>;
};

export type FakeClusterOptions = {
  readonly port?: number;
  /** Changes of a kind that watches can go back over. */
  readonly historySize?: number;
  readonly bookmarkMs?: number;
};

/** An API server for lists, watches and simple writes, with a ledger of what truly happened and the faults of production. */
export async function fakeCluster(options: FakeClusterOptions = {}): Promise<FakeCluster> {
  const store = openStore({ historySize: options.historySize ?? 10_000 });
  serveCustomKinds(store);
  const changes = changing(store);
  const faults = openFaults(() => store.collections.values());
  const counts = openCounts();
  const around = {
    revision: store.revision,
    pace: faults.pace,
    lineFor: lineCache(1_000),
    bookmarkMs: options.bookmarkMs ?? 60_000,
  };
  const objects = openObjects(store, changes);
  for (const name of ['default', 'kube-system']) {
    objects.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  const listening = await listen(options.port ?? 0, { ...store, changes, around, faults, counts });
  return {
    ...listening,
    kubeconfig: kubeconfigFor(listening.url),
    objects,
    faults,
    ledger: store.ledger,
    past: openPast(store),
    requests: counts,
    revision: store.revision,
    serve(kind) {
      if (!store.collections.has(idOf(kind))) store.serve(kind);
    },
  };
}

async function listen(port: number, world: Parameters<typeof handle>[0]) {
  const server = createServer((request, response) => {
    handle(world, request, response).catch((cause: unknown) => {
      response.destroy(cause instanceof Error ? cause : new Error(String(cause)));
    });
  });
  // Go's server keeps idle connections for as long as the client does.
  Object.assign(server, { keepAliveTimeout: 600_000, requestTimeout: 0 });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${chosen}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function kubeconfigFor(server: string): string {
  // The client library speaks plain HTTP only to a server whose certificate it would not look at.
  const cluster = { server, 'insecure-skip-tls-verify': true };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'fake', cluster }],
    users: [{ name: 'admin', user: { token: 'admin-token' } }],
    contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'admin' } }],
    'current-context': 'fake',
  });
}
