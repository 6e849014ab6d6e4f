import { namespaces } from '#shared/domain/kind.ts';
import { openEmptying } from './emptying.ts';
import { type Faults, openFaults } from './faults.ts';
import type { Ledger } from './ledger.ts';
import { isMarked } from './pipeline/metadata.ts';
import { neutralParts } from './pipeline/neutral.ts';
import { customKinds, idOf, type ServedKind } from './served-kinds.ts';
import { type Counts, openCounts } from './serving/counts.ts';
import { handle } from './serving/handling.ts';
import { kubeconfigFor } from './serving/kubeconfig.ts';
import { listenPlain } from './serving/listening.ts';
import { changing } from './store/changing.ts';
import { serveCustomKinds } from './store/custom-kinds.ts';
import { type Objects, openObjects } from './store/objects.ts';
import { openPast, type Past } from './store/past.ts';
import { openStore, type Store } from './store/store.ts';
import { parsedBody } from './store/stored.ts';
import { columnsOf } from './tables/columns.ts';
import { lineCache } from './watching/watch-line.ts';

export type { Past };

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
  /** Changes of its kind that a watch may be behind, before it is ended; as many as the past has where it is left out. */
  readonly mostBehind?: number;
  readonly bookmarkMs?: number;
};

/** An API server for lists, watches and simple writes, with a ledger of what truly happened and the faults of production. */
export async function fakeCluster(options: FakeClusterOptions = {}): Promise<FakeCluster> {
  const store = openStore({ historySize: options.historySize ?? 10_000 });
  serveCustomKinds(store);
  emptyDefinitions(store);
  const faults = openFaults(() => store.collections.values(), options.mostBehind);
  const counts = openCounts();
  const around = {
    revision: store.revision,
    pace: faults.pace,
    mostBehind: faults.mostBehind,
    lineFor: lineCache(1_000),
    bookmarkMs: options.bookmarkMs ?? 60_000,
  };
  const objects = openObjects(store, changing(store));
  for (const name of ['default', 'kube-system']) {
    objects.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  const world = { store, around, parts: neutralParts, columnsOf, now: () => new Date() };
  const server = { world, faults, counts, beside: [] };
  const { port, close } = await listenPlain(options.port ?? 0, (request, response) =>
    handle(server, request, response),
  );
  const url = `http://127.0.0.1:${port}`;
  return {
    ...{ url, objects, faults, ledger: store.ledger, past: openPast(store), requests: counts },
    kubeconfig: kubeconfigFor({ server: url, user: { token: 'admin-token' }, name: 'fake' }),
    revision: store.revision,
    close: () => close(),
    serve(kind) {
      if (!store.collections.has(idOf(kind))) store.serve(kind);
    },
  };
}

/** At once, whoever is to go: nothing else settles definitions here. */
function emptyDefinitions(store: Store): void {
  const { empty } = openEmptying(store, () => new Date());
  store.onCommit((of, { type, now }) => {
    const isDefinition = idOf(of.kind) === idOf(customKinds) && type !== 'DELETED';
    if (isDefinition && isMarked(parsedBody(now))) empty(now.name);
  });
}
