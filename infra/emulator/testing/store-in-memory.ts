import type { Store, Transacted, Transaction } from '#events/forwarder/ports.ts';
import type { Sender } from '#events/queue.ts';
import { kindOfScope } from '#shared/adapters/database/scope-kind.ts';
import type { Term } from '#shared/domain/mirrored.ts';
import { type Connection, connectionTo, type Held } from './mirror/connection.ts';
import { isHeld, leasesOn } from './mirror/leases.ts';
import { type StoreDecisions, storeDecisions } from './mirror/rivals.ts';
import { type MirrorShelf, watchKey } from './mirror/shelf.ts';
import { pendingOn } from './mirror/transaction.ts';

/**
 * Where others run, the process dies, or the database fails: before the operation of that name. `begin` has no lock yet,
 * `commit` has done nothing yet, and after `committed` all is done but nobody was told.
 */
export type Point = keyof Store | keyof Transaction | 'begin' | 'locked' | 'commit' | 'committed';

export type StoreInMemoryOptions = {
  /** Of the database, which several stores may share. */
  readonly shelf: MirrorShelf;
  readonly cluster: string;
  /** The database's clock, not the process's. */
  readonly now: () => number;
  /** Opens the queue's part of a transaction. */
  readonly open: () => Sender & { commit(): void; rollback(): void };
  /** What it throws, the operation throws. */
  readonly at?: ((point: Point) => void | Promise<void>) | undefined;
  readonly decisions?: StoreDecisions | undefined;
};

export type StoreInMemory = Store & {
  /** Its connections end, as those of a process that dies: what they had begun never happened. */
  disconnect(): void;
};

/** One process's view of the database. */
export function storeInMemory(options: StoreInMemoryOptions): StoreInMemory {
  const connection = connectionTo(options.shelf.locks);
  const { at = () => undefined, decisions = storeDecisions } = options;
  const parts: Parts = { ...options, at, connection, decisions };
  const store: Store = {
    ...leasesOn(parts),
    ...identitiesOn(parts),
    transact: (term, work) => transactOn(parts, { term, work }),
    // Each goes by itself here.
    untilCompany: async () => undefined,
    async moment() {
      return options.now();
    },
    async backfills(scope) {
      return [...options.shelf.backfills.values()]
        .filter((stored) => stored.cluster === options.cluster && stored.scope === scope)
        .map(({ backfill }) => backfill);
    },
    async wokenBefore() {
      const stored = [...options.shelf.backfills.values()];
      const own = stored.filter(({ cluster }) => cluster === options.cluster);
      return [...new Set(own.map(({ backfill }) => backfill.function))];
    },
  };
  return { ...watched(store, at), disconnect: connection.disconnect };
}

type At = (point: Point) => void | Promise<void>;
type Parts = StoreInMemoryOptions & {
  readonly at: At;
  readonly connection: Connection;
  readonly decisions: StoreDecisions;
};

function identitiesOn({ shelf, cluster }: Parts): Pick<Store, 'identity' | 'beginEpoch'> {
  return {
    async identity() {
      return shelf.clusters.get(cluster);
    },
    async beginEpoch(term, { uid, after }) {
      if (!isHeld(shelf.watches.get(watchKey({ cluster, scope: term.scope })), term))
        return 'fenced';
      if ((shelf.clusters.get(cluster)?.epoch ?? 0) !== after) return undefined;
      shelf.clusters.set(cluster, { uid, epoch: after + 1 });
      return after + 1;
    },
  };
}

type Asked<T> = { readonly term: Term; work(transaction: Transaction): Promise<T> };

async function transactOn<T>(parts: Parts, asked: Asked<T>): Promise<Transacted<T>> {
  const { cluster, at, connection } = parts;
  await at('begin');
  const key = watchKey({ cluster, scope: asked.term.scope });
  const done = await connection.locked(key, (held) => workOn(parts, asked, held));
  if (done.kind === 'committed') await at('committed');
  return done;
}

async function workOn<T>(
  { shelf, cluster, now, open, at }: Parts,
  { term, work }: Asked<T>,
  held: Held,
): Promise<Transacted<T>> {
  const place = { cluster, scope: term.scope, ...kindOfScope(term.scope) };
  const sending = open();
  held.onEnd(() => sending.rollback());
  await at('locked');
  if (!isHeld(shelf.watches.get(watchKey(place)), term)) return { kind: 'fenced' };

  const { operations, apply } = pendingOn({ shelf, place, nowMs: now });
  const transaction = { ...operations, send: sending.send };
  const value = await work(
    watched(transaction, async (point) => {
      await at(point);
      held.check();
    }),
  );
  await at('commit');
  held.check();
  apply();
  sending.commit();
  return { kind: 'committed', value };
}

/** Each operation is a moment. */
function watched<T extends object>(operations: T, at: At): T {
  const wrapped = Object.entries(operations).map(([name, operation]) => [
    name,
    async (...given: readonly unknown[]) => {
      await at(name as Point);
      return operation(...given);
    },
  ]);
  return Object.fromEntries(wrapped) as T;
}
