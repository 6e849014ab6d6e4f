import type { Sql, TransactionSql } from 'postgres';
import { arrayText } from '#shared/domain/array-text.ts';
import type { Term } from '#shared/domain/mirrored.ts';
import { sinceSql } from '#shared/domain/since-sql.ts';
import type { Compression } from './compression.ts';
import { type Conclusion, conclude } from './conclude.ts';
import { kindOfScope } from './scope-kind.ts';
import type { FoundCursor, ToldCursors } from './told-cursors.ts';
import {
  type Notifies,
  type Part,
  partOf,
  type Shared,
  sharedOn,
  type Transaction,
} from './transaction.ts';

export type Sending<M> = { send(messages: readonly M[]): Promise<void> };

export type Work<M, T> = (transaction: Transaction & Sending<M>) => Promise<T>;

export type Transacted<T> =
  | { readonly kind: 'committed'; readonly value: T }
  | { readonly kind: 'fenced' };

/** What every transaction of one forwarder stands on. */
export type Base<M> = {
  readonly sql: Sql;
  readonly cluster: string;
  /** Puts messages on the queue in this very transaction, whose planner may be set already as the queue's is. */
  readonly sender: (tx: TransactionSql, isPlanned: boolean) => Sending<M>;
  readonly notifies: Notifies;
  readonly stallMs: number;
  readonly cursors: ToldCursors;
  readonly compression: Compression;
  /** So many rows were written. */
  readonly written: (rows: number) => void;
};

export type Job<M, T> = { readonly term: Term; readonly work: Work<M, T> };

/** The term is somebody else's by now, or the database's memory of it is another one than ours. */
class Fenced extends Error {}

/**
 * One scope's work, or that of several in one transaction: where each has a few events, to begin, to ask and to commit
 * costs more than all between. Who is fenced writes nothing, and keeps nobody else from it; any other failure is that of
 * all. What they send goes out at once: taken in steps, the locks of two senders could wait for each other.
 */
export async function transact<M, T>(
  base: Base<M>,
  jobs: readonly Job<M, T>[],
): Promise<readonly Transacted<T>[]> {
  const compression = await base.compression.best();
  const done = await base.sql.begin(async (tx) => {
    const locks = lock(tx, base, { jobs, compression });
    const stage = { base, shared: sharedOn(tx, base.cluster), locks };
    const parts = await all(jobs.map((job) => unlessFenced(workOf(job, stage))));
    const ours = parts.filter((part) => part !== undefined);
    const messages = ours.flatMap((each) => each.messages);
    const conclusions = ours.map(({ part }) => conclusionOf(part, base));
    const { isPlanned } = await stage.locks;
    const { onTheWay, arrived } = stage.shared;
    onTheWay(send(base.sender(tx, isPlanned), messages));
    onTheWay(conclude(tx, base.cluster, conclusions));
    await arrived();
    return new Map(ours.map((each) => [each.job, each]));
  });
  return jobs.map((job) => {
    const its = done.get(job);
    return its === undefined ? { kind: 'fenced' } : known(base, its);
  });
}

type Stage<M> = {
  readonly base: Base<M>;
  readonly shared: Shared;
  readonly locks: Promise<Locks>;
};

type Worked<M, T> = {
  readonly job: Job<M, T>;
  readonly part: Part;
  readonly messages: readonly M[];
  readonly value: T;
};

/** All but the end, which all have together. */
async function workOf<M, T>(
  job: Job<M, T>,
  { base, shared, locks }: Stage<M>,
): Promise<Worked<M, T>> {
  const { scope } = job.term;
  const locked = lockOf(locks, base, scope);
  // Work that fails by itself never asks for it.
  locked.catch(() => undefined);
  const part = partOf(shared, {
    place: { cluster: base.cluster, ...kindOfScope(scope), scope },
    locked,
  });
  const messages: M[] = [];
  const value = await job.work({
    ...part.transaction,
    send: async (some) => {
      await locked;
      messages.push(...some);
    },
  });
  await locked;
  return { job, part, messages, value };
}

async function unlessFenced<T>(step: Promise<T>): Promise<T | undefined> {
  try {
    return await step;
  } catch (cause: unknown) {
    if (cause instanceof Fenced) return undefined;
    throw cause;
  }
}

/** Each has come to its end before a failure is told: what goes out after the transaction's end is never answered. */
async function all<T>(steps: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(steps);
  return Promise.all(steps);
}

async function send<M>(sender: Sending<M>, messages: readonly M[]): Promise<void> {
  if (messages.length > 0) await sender.send(messages);
}

function conclusionOf<M>({ place, ledger }: Part, { notifies }: Base<M>): Conclusion {
  return { place, ...ledger, isHeard: notifies(place) };
}

/** Committed, and so known. */
function known<M, T>(
  { cursors, written }: Base<M>,
  { part: { place, ledger }, value }: Worked<M, T>,
): Transacted<T> {
  if (ledger.cursor !== undefined) cursors.told(place.scope, ledger.cursor);
  written(ledger.changed.length);
  return { kind: 'committed', value };
}

type Locks = { readonly isPlanned: boolean; readonly cursors: ReadonlyMap<string, FoundCursor> };

async function lockOf<M>(
  locks: Promise<Locks>,
  { cursors }: Base<M>,
  scope: string,
): Promise<void> {
  const found = (await locks).cursors.get(scope);
  if (found === undefined || !cursors.isStill(scope, found)) throw new Fenced();
}

type Lock = FoundCursor & { readonly scope: string; readonly isPlanned: boolean };

/**
 * Holds the scopes' rows until the end: whoever takes a lease waits for it, and whoever lost it gets nothing. By everybody
 * in one order: who holds one scope's row may wait for another one's. Plans are kept from when the planner knows the table,
 * those of what is sent as well: to plan them anew takes as long as all that is then done by them.
 */
async function lock<M>(
  tx: TransactionSql,
  { cluster, stallMs }: Base<M>,
  {
    jobs,
    compression,
  }: { readonly jobs: readonly Job<M, unknown>[]; readonly compression: string },
): Promise<Locks> {
  const column = (value: (term: Term) => string) => arrayText(jobs.map(({ term }) => value(term)));
  const locks = await tx<Lock[]>`
    select w.scope, w.epoch, w.generation, w.position, w.resource_version, since, "isPlanned",
      set_config('idle_in_transaction_session_timeout', ${String(stallMs)}, true),
      set_config('default_toast_compression', ${compression}, true),
      set_config('plan_cache_mode', case when "isPlanned" then 'force_generic_plan' else 'auto' end, true),
      set_config('enable_seqscan', case when "isPlanned" then 'off' else current_setting('enable_seqscan') end, true)
    from unnest(${column(({ scope }) => scope)}::text[], ${column(({ holder }) => holder)}::text[],
      ${column(({ number }) => String(number))}::bigint[]) as t (scope, holder, term)
    join watches w on w.cluster = ${cluster} and w.scope = t.scope
      and w.holder = t.holder and w.term = t.term, (
      select ${tx.unsafe(sinceSql)} as since, reltuples >= ${fewRows} as "isPlanned"
      from pg_class where oid = 'objects'::regclass
    ) as known
    order by w.scope for update of w`;
  return {
    isPlanned: locks.some(({ isPlanned }) => isPlanned),
    cursors: new Map(locks.map((each) => [each.scope, each])),
  };
}

/** A plan for less than this may read all of it. */
const fewRows = 5_000;
