import type { Sql, TransactionSql } from 'postgres';
import type { Term } from '#shared/domain/mirrored.ts';
import type { StoredCursor } from './cursor.ts';
import { kindOfScope } from './scope-kind.ts';
import type { ToldCursors } from './told-cursors.ts';
import { type Concluded, type Notifies, type Transaction, transactionOn } from './transaction.ts';

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
  /** So many rows were written. */
  readonly written: (rows: number) => void;
};

export type Job<M, T> = { readonly term: Term; readonly work: Work<M, T> };

/** The term is somebody else's by now, or the database's memory of it is another one than ours. */
class Fenced extends Error {}

/** In a transaction of its own. */
export async function transactAlone<M, T>(base: Base<M>, job: Job<M, T>): Promise<Transacted<T>> {
  try {
    const done = await base.sql.begin(async (tx) => {
      const part = begin(tx, base, job);
      const value = await part.work(async (messages, { isPlanned }) =>
        part.onTheWay(base.sender(tx, isPlanned).send(messages)),
      );
      return { value, concluded: await part.finish() };
    });
    return known(base, job, done);
  } catch (cause: unknown) {
    if (cause instanceof Fenced) return { kind: 'fenced' };
    base.cursors.forget(job.term.scope);
    throw cause;
  }
}

/**
 * Several scopes in one transaction: where each has a few events, to begin and to commit costs more than all between.
 * Who is fenced writes nothing, and keeps nobody else from it; any other failure is that of all. What they send goes out
 * at once, when all have said it: taken in steps, the locks of two senders could wait for each other.
 */
export async function transactTogether<M, T>(
  base: Base<M>,
  jobs: readonly Job<M, T>[],
): Promise<readonly Transacted<T>[]> {
  // By everybody in one order: who holds one scope's row may wait for another one's.
  const ordered = jobs.toSorted((one, other) => (one.term.scope < other.term.scope ? -1 : 1));
  const done = await base.sql.begin(async (tx) => {
    const parts = ordered.map((job) => ({ job, messages: [] as M[], ...begin(tx, base, job) }));
    const values = await all(
      parts.map(async (part) =>
        unlessFenced(async () => ({
          part,
          value: await part.work(async (messages) => void part.messages.push(...messages)),
        })),
      ),
    );
    const ours = values.flatMap((each) => each ?? []);
    const [, ...concluded] = await all([
      send(
        tx,
        base,
        ours.map(({ part }) => part),
      ),
      ...ours.map(({ part }) => unlessFenced(part.finish)),
    ]);
    return new Map(
      ours.map(({ part: { job }, value }, at) => [job, { value, concluded: concluded[at] }]),
    );
  });
  return jobs.map((job) => {
    const { value, concluded } = done.get(job) ?? {};
    if (concluded === undefined) return { kind: 'fenced' };
    return known(base, job, { value: value as T, concluded });
  });
}

type Part<M> = { readonly messages: readonly M[]; readonly locked: Promise<Locked> };

async function send<M>(tx: TransactionSql, { sender }: Base<M>, parts: readonly Part<M>[]) {
  const messages = parts.flatMap((part) => part.messages);
  const [first] = parts;
  if (first === undefined || messages.length === 0) return undefined;
  const { isPlanned } = await first.locked;
  await sender(tx, isPlanned).send(messages);
  return undefined;
}

async function unlessFenced<T>(step: () => Promise<T>): Promise<T | undefined> {
  try {
    return await step();
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

function begin<M, T>(tx: TransactionSql, base: Base<M>, { term, work }: Job<M, T>) {
  const locked = lock(tx, base, term);
  // Work that fails by itself never asks for it.
  locked.catch(() => undefined);
  const { scope } = term;
  const place = { cluster: base.cluster, ...kindOfScope(scope), scope };
  const { notifies } = base;
  const { transaction, onTheWay, finish } = transactionOn(tx, { place, notifies, locked });
  return {
    locked,
    onTheWay,
    finish,
    work: (sending: (messages: readonly M[], lock: Locked) => Promise<void>) =>
      work({ ...transaction, send: async (messages) => sending(messages, await locked) }),
  };
}

type Done<T> = { readonly value: T; readonly concluded: Concluded };

/** Committed, and so known. */
function known<M, T>(
  { cursors, written }: Base<M>,
  { term: { scope } }: Job<M, T>,
  { value, concluded }: Done<T>,
): Transacted<T> {
  if (concluded.cursor !== undefined) cursors.told(scope, concluded.cursor);
  written(concluded.written);
  return { kind: 'committed', value };
}

type Locked = { readonly isPlanned: boolean };

/**
 * Holds the scope's row until the end: whoever takes the lease waits for it, and whoever lost it gets nothing. Plans are
 * kept from when the planner knows the table, those of what is sent as well: to plan them anew takes as long as all that
 * is then done by them.
 */
async function lock<M>(
  tx: TransactionSql,
  { cluster, stallMs, cursors }: Base<M>,
  term: Term,
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
