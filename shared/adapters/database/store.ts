import type { Sql } from 'postgres';
import { inBatches } from '#shared/domain/in-batches.ts';
import type { Backfill, Claiming, Term } from '#shared/domain/mirrored.ts';
import { type BackfillRow, backfillFrom } from './backfill.ts';
import { compressionOn } from './compression.ts';
import { beginEpoch, identityOf } from './epoch.ts';
import { isOutage } from './failure.ts';
import { claimOn, releaseOn, renewOn, usualStallMs } from './lease.ts';
import { statisticsOn } from './statistics.ts';
import { openToldCursors } from './told-cursors.ts';
import { type Base, type Job, type Transacted, transact, type Work } from './transact.ts';
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
  const compression = compressionOn(sql);
  const base: Base<M> = { sql, cluster, sender, notifies, stallMs, cursors, compression, written };
  let underWay: Promise<unknown> | undefined;
  // Nobody waits for company: what comes while others are under way shares the next transaction.
  const together = inBatches<Job<M, unknown>, Ended>({
    run(jobs) {
      const ended = begun(base, jobs).finally(() => {
        underWay = undefined;
      });
      underWay = ended;
      return ended;
    },
    max: 32,
    atOnce: 1,
  });
  return {
    async claim(scope: string, holder: string, leaseMs: number, how: Claiming = 'in-turn') {
      const evicts = how === 'before-others';
      const claimed = await claimOn(sql, { cluster, scope, holder, leaseMs, stallMs, evicts });
      if (claimed !== undefined) cursors.claimed(scope, claimed.cursor);
      return claimed;
    },
    renew: (term: Term, leaseMs: number) => renewOn(sql, { cluster, ...term, leaseMs }),
    release: (term: Term) => releaseOn(sql, { cluster, ...term }),
    identity: () => identityOf(sql, cluster),
    beginEpoch: (term: Term, next: { readonly uid: string; readonly after: number }) =>
      beginEpoch(sql, { cluster, term, ...next }),
    async transact<T>(
      term: Term,
      work: Work<M, T>,
      how: 'alone' | 'in-company' = 'alone',
    ): Promise<Transacted<T>> {
      const job = { term, work };
      const ended = how === 'alone' ? (await begun(base, [job]))[0] : await together(job);
      if (ended?.status === 'fulfilled') return ended.value as Transacted<T>;
      throw ended?.reason;
    },
    async untilCompany() {
      await underWay;
    },
    async moment(): Promise<number> {
      const [found] = await sql<[{ readonly ms: number }]>`
        select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
      return found.ms;
    },
    async backfills(scope: string): Promise<readonly Backfill[]> {
      const found = await sql<BackfillRow[]>`
        select function, fingerprint, after, is_done from backfills
        where cluster = ${cluster} and scope = ${scope}
        order by function`;
      return found.map(backfillFrom);
    },
    async wokenBefore(): Promise<readonly string[]> {
      const found = await sql<{ function: string }[]>`
        select distinct function from backfills where cluster = ${cluster}`;
      return found.map((each) => each.function);
    },
  };
}

type Ended = PromiseSettledResult<Transacted<unknown>>;

/** What failed for what one of them holds is begun again, each by itself: it is that one alone which fails then. */
async function begun<M>(
  base: Base<M>,
  jobs: readonly Job<M, unknown>[],
): Promise<readonly Ended[]> {
  const scopes = new Set(jobs.map(({ term: { scope } }) => scope));
  if (scopes.size < jobs.length) return oneByOne(base, jobs);
  try {
    const done = await transact(base, jobs);
    return done.map((value) => ({ status: 'fulfilled', value }));
  } catch (reason: unknown) {
    if (jobs.length > 1 && !isOutage(reason)) return oneByOne(base, jobs);
    base.compression.forget();
    // What became of the commit is not known.
    for (const scope of scopes) base.cursors.forget(scope);
    return jobs.map(() => ({ status: 'rejected', reason }));
  }
}

/** In turn: of one scope the later one goes on from where the earlier has come to. */
async function oneByOne<M>(
  base: Base<M>,
  jobs: readonly Job<M, unknown>[],
): Promise<readonly Ended[]> {
  const ended: Ended[] = [];
  for (const job of jobs) ended.push(...(await begun(base, [job])));
  return ended;
}
