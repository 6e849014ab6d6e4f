import type { Sql } from 'postgres';
import { inBatches } from '#shared/domain/in-batches.ts';
import type { Claiming, Term } from '#shared/domain/mirrored.ts';
import { type Backfill, type BackfillRow, backfillFrom } from './backfill.ts';
import { beginEpoch, identityOf } from './epoch.ts';
import { isOutage } from './failure.ts';
import { claimOn, releaseOn, renewOn, usualStallMs } from './lease.ts';
import { statisticsOn } from './statistics.ts';
import { openToldCursors } from './told-cursors.ts';
import {
  type Base,
  type Job,
  type Transacted,
  transactAlone,
  transactTogether,
  type Work,
} from './transact.ts';
import type { Notifies } from './transaction.ts';

export type StoreOptions<M> = Pick<Base<M>, 'cluster' | 'sender'> & {
  /** The kinds whose changes somebody listens to; all where it is left out. */
  readonly notifies?: Notifies | undefined;
  /** A writer that stops in the middle of a transaction, or of a claim, holds up its successor for this long, and not for ever. */
  readonly stallMs?: number | undefined;
};

/** The database of one cluster's forwarder: leases, cursors, the mirror's rows. */
export function storeOn<M>(sql: Sql, options: StoreOptions<M>) {
  const { cluster, sender, notifies = () => true, stallMs = usualStallMs } = options;
  const { written } = statisticsOn(sql);
  const cursors = openToldCursors();
  const base: Base<M> = { sql, cluster, sender, notifies, stallMs, cursors, written };
  const together = inCompany(base);
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
    async transact<T>(
      term: Term,
      work: Work<M, T>,
      how: 'alone' | 'in-company' = 'alone',
    ): Promise<Transacted<T>> {
      const job = { term, work };
      return how === 'alone' ? transactAlone(base, job) : (together(job) as Promise<Transacted<T>>);
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

type Ended = PromiseSettledResult<Transacted<unknown>>;

/** Nobody waits for company: what comes while others are under way shares the next transaction. */
function inCompany<M>(base: Base<M>) {
  const ask = inBatches<Job<M, unknown>, Ended>({
    run: async (jobs) => Promise.allSettled(await begun(base, jobs)),
    max: 32,
    atOnce: 1,
  });
  return async (job: Job<M, unknown>): Promise<Transacted<unknown>> => {
    const ended = await ask(job);
    if (ended.status === 'rejected') throw ended.reason;
    return ended.value;
  };
}

/** What failed for what one of them holds is begun again, each by itself: it is that one alone which fails then. */
async function begun<M>(base: Base<M>, jobs: readonly Job<M, unknown>[]) {
  const apart = () => jobs.map((job) => transactAlone(base, job));
  if (jobs.length === 1) return apart();
  try {
    return await transactTogether(base, jobs);
  } catch (cause: unknown) {
    if (!isOutage(cause)) return apart();
    // What became of the commit is not known.
    for (const { term } of jobs) base.cursors.forget(term.scope);
    throw cause;
  }
}
