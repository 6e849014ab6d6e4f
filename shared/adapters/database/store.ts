import type { Sql, TransactionSql } from 'postgres';
import type { Claiming, Term } from '#shared/domain/mirrored.ts';
import { type Backfill, type BackfillRow, backfillFrom } from './backfill.ts';
import { beginEpoch, identityOf } from './epoch.ts';
import { claimOn, releaseOn, renewOn, usualStallMs } from './lease.ts';
import { kindOfScope } from './scope-kind.ts';
import { statisticsOn } from './statistics.ts';
import { type Notifies, type Transaction, transactionOn } from './transaction.ts';

export type StoreOptions<M> = {
  readonly cluster: string;
  /** Puts messages on the queue in this very transaction. */
  readonly sender: (tx: TransactionSql) => Sending<M>;
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
  return {
    claim: (scope: string, holder: string, leaseMs: number, how: Claiming = 'in-turn') =>
      claimOn(sql, {
        ...{ cluster, scope, holder, leaseMs, stallMs },
        evicts: how === 'before-others',
      }),
    renew: (term: Term, leaseMs: number) => renewOn(sql, { cluster, ...term, leaseMs }),
    release: (term: Term) => releaseOn(sql, { cluster, ...term }),
    identity: () => identityOf(sql, cluster),
    beginEpoch: (next: { readonly uid: string; readonly after: number }) =>
      beginEpoch(sql, { cluster, ...next }),
    async transact<T>(term: Term, work: Work<M, T>): Promise<Transacted<T>> {
      const { done, written } = await transactOn(sql, options, { term, work });
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

async function transactOn<M, T>(
  sql: Sql,
  { cluster, sender, notifies = () => true, stallMs = usualStallMs }: StoreOptions<M>,
  { term, work }: { readonly term: Term; readonly work: Work<M, T> },
): Promise<{ readonly done: Transacted<T>; readonly written: number }> {
  const place = { cluster, ...kindOfScope(term.scope), scope: term.scope };
  let written = 0;
  const done = await sql.begin(async (tx): Promise<Transacted<T>> => {
    if (!(await lock(tx, { cluster, term, stallMs }))) return { kind: 'fenced' };

    const { transaction, finish } = transactionOn(tx, place, notifies);
    const value = await work({ ...transaction, send: (messages) => sender(tx).send(messages) });
    written = await finish();
    return { kind: 'committed', value };
  });
  return { done: done as Transacted<T>, written };
}

/** Holds the scope's row until the end: whoever takes the lease waits for it, and whoever lost it gets nothing. */
async function lock(
  tx: TransactionSql,
  { cluster, term, stallMs }: { cluster: string; term: Term; stallMs: number },
): Promise<boolean> {
  const [watch] = await tx`
    select set_config('idle_in_transaction_session_timeout', ${String(stallMs)}, true) from watches
    where cluster = ${cluster} and scope = ${term.scope}
      and holder = ${term.holder} and term = ${term.number}
    for update`;
  return watch !== undefined;
}
