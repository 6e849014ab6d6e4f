import type { Sql, TransactionSql } from 'postgres';
import type { Claiming, Term } from '#shared/domain/mirrored.ts';
import { type Backfill, type BackfillRow, backfillFrom } from './backfill.ts';
import type { StoredCursor } from './cursor.ts';
import { beginEpoch, identityOf } from './epoch.ts';
import { claimOn, releaseOn, renewOn, usualStallMs } from './lease.ts';
import { kindOfScope } from './scope-kind.ts';
import { statisticsOn } from './statistics.ts';
import { openToldCursors, type ToldCursors } from './told-cursors.ts';
import { type Concluded, type Notifies, type Transaction, transactionOn } from './transaction.ts';

export type StoreOptions<M> = {
  readonly cluster: string;
  /** Puts messages on the queue in this very transaction, whose planner may be set already as the queue's is. */
  readonly sender: (tx: TransactionSql, isPlanned: boolean) => Sending<M>;
  /** The kinds whose changes somebody listens to; all where it is left out. */
  readonly notifies?: Notifies | undefined;
  /** A writer that stops in the middle of a transaction, or of a claim, holds up its successor for this long, and not for ever. */
  readonly stallMs?: number | undefined;
};

export type Sending<M> = { send(messages: readonly M[]): Promise<void> };

type Work<M, T> = (transaction: Transaction & Sending<M>) => Promise<T>;

type Transacted<T> =
  | { readonly kind: 'committed'; readonly value: T }
  | { readonly kind: 'fenced' };

/** The database of one cluster's forwarder: leases, cursors, the mirror's rows. */
export function storeOn<M>(sql: Sql, options: StoreOptions<M>) {
  const { cluster, stallMs = usualStallMs } = options;
  const statistics = statisticsOn(sql);
  const cursors = openToldCursors();
  return {
    async claim(scope: string, holder: string, leaseMs: number, how: Claiming = 'in-turn') {
      const evicts = how === 'before-others';
      const claimed = await claimOn(sql, { cluster, scope, holder, leaseMs, stallMs, evicts });
      if (claimed !== undefined) cursors.told(scope, claimed.cursor);
      return claimed;
    },
    renew: (term: Term, leaseMs: number) => renewOn(sql, { cluster, ...term, leaseMs }),
    release: (term: Term) => releaseOn(sql, { cluster, ...term }),
    identity: () => identityOf(sql, cluster),
    beginEpoch: (next: { readonly uid: string; readonly after: number }) =>
      beginEpoch(sql, { cluster, ...next }),
    async transact<T>(term: Term, work: Work<M, T>): Promise<Transacted<T>> {
      const { done, written } = await transactOn(sql, options, { term, work, cursors });
      statistics.written(written);
      return done;
    },
    async backfills(scope: string): Promise<readonly Backfill[]> {
      const found = await sql<BackfillRow[]>`
        select function, fingerprint, after, is_done from backfills
        where cluster = ${cluster} and scope = ${scope}
        order by function`;
      return found.map(backfillFrom);
    },
  };
}

type Transacting<M, T> = {
  readonly term: Term;
  readonly work: Work<M, T>;
  readonly cursors: ToldCursors;
};

async function transactOn<M, T>(
  sql: Sql,
  { cluster, sender, notifies = () => true, stallMs = usualStallMs }: StoreOptions<M>,
  { term, work, cursors }: Transacting<M, T>,
): Promise<{ readonly done: Transacted<T>; readonly written: number }> {
  const place = { cluster, ...kindOfScope(term.scope), scope: term.scope };
  let concluded: Concluded = { written: 0, cursor: undefined };
  try {
    const value = await sql.begin(async (tx) => {
      const locked = lock(tx, { cluster, term, stallMs, cursors });
      // Work that fails by itself never asks for it.
      locked.catch(() => undefined);
      const beginning = { place, notifies, locked };
      const { transaction, onTheWay, finish } = transactionOn(tx, beginning);
      const done = await work({
        ...transaction,
        async send(messages) {
          const { isPlanned } = await locked;
          onTheWay(sender(tx, isPlanned).send(messages));
        },
      });
      concluded = await finish();
      return done;
    });
    const { written, cursor } = concluded;
    if (cursor !== undefined) cursors.told(term.scope, cursor);
    return { done: { kind: 'committed', value: value as T }, written };
  } catch (cause: unknown) {
    if (cause instanceof Fenced) return { done: { kind: 'fenced' }, written: 0 };
    cursors.forget(term.scope);
    throw cause;
  }
}

/** The term is somebody else's by now, or the database's memory of it is another one than ours. */
class Fenced extends Error {}

type Locked = { readonly isPlanned: boolean };

type Locking = {
  readonly cluster: string;
  readonly term: Term;
  readonly stallMs: number;
  readonly cursors: ToldCursors;
};

/**
 * Holds the scope's row until the end: whoever takes the lease waits for it, and whoever lost it gets nothing. Plans are
 * kept from when the planner knows the table, those of what is sent as well: to plan them anew takes as long as all that
 * is then done by them.
 */
async function lock(
  tx: TransactionSql,
  { cluster, term, stallMs, cursors }: Locking,
): Promise<Locked> {
  const [watch] = await tx<(StoredCursor & { readonly isPlanned: boolean })[]>`
    select epoch, generation, position, resource_version, "isPlanned",
      set_config('idle_in_transaction_session_timeout', ${String(stallMs)}, true),
      set_config('plan_cache_mode', case when "isPlanned" then 'force_generic_plan' else 'auto' end, true),
      set_config('enable_seqscan', case when "isPlanned" then 'off' else current_setting('enable_seqscan') end, true)
    from watches, (
      select reltuples >= ${fewRows} as "isPlanned" from pg_class where oid = 'objects'::regclass
    ) as known
    where cluster = ${cluster} and scope = ${term.scope}
      and holder = ${term.holder} and term = ${term.number}
    for update of watches`;
  if (watch === undefined || !cursors.isStill(term.scope, watch)) throw new Fenced();
  return watch;
}

/** A plan for less than this may read all of it. */
const fewRows = 5_000;
