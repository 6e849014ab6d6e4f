import type { TransactionSql } from 'postgres';
import { arrayText } from '#shared/domain/array-text.ts';
import { inBatches } from '#shared/domain/in-batches.ts';
import type { Kind } from '#shared/domain/kind.ts';
import {
  type Backfill,
  type Cursor,
  placeOf,
  type Row,
  type RowPage,
  type RowVersion,
} from '#shared/domain/mirrored.ts';
import {
  type Before,
  countUnmarked,
  type From,
  pageOfRows,
  pageOfVersions,
  unmarkedRows,
  versionsByUid,
} from './scope-pages.ts';
import { type Ask, findRows, oursIn, type Place, type Wanted } from './scope-rows.ts';
import { storable } from './terms.ts';
import { type Writing, writeRows } from './write-rows.ts';

/**
 * Each wait for an answer wakes a session of the server and this process: the reads of a transaction go out with its lock,
 * and its writes together. A write is answered as soon as it is on its way; whether it was carried out, the end says.
 */
export type Transaction = {
  find(wanted: Wanted): Promise<readonly Row[]>;
  write(rows: readonly Row[]): Promise<void>;
  mark(uids: readonly string[], generation: number): Promise<void>;
  forget(uids: readonly string[]): Promise<void>;
  unmarked(before: Before): Promise<RowPage>;
  countUnmarked(before: Before): Promise<number>;
  page(page: From): Promise<RowPage>;
  versions(page: From): Promise<readonly RowVersion[]>;
  versionsOf(uids: readonly string[]): Promise<readonly RowVersion[]>;
  setCursor(cursor: Cursor): Promise<void>;
  setCaughtUp(atMs: number): Promise<void>;
  setBackfill(backfill: Backfill): Promise<void>;
};

export type Notifies = (kind: Pick<Kind, 'group' | 'resource'>) => boolean;

/** What the end says of a scope's part. */
type Ledger = {
  cursor: Cursor | undefined;
  readonly changed: Pick<Row, 'namespace' | 'name'>[];
};

type Beginning = {
  readonly place: Place;
  /** On its way already, and the server carries out one after another. Without it, nothing of this happens. */
  readonly locked: Promise<unknown>;
};

/** One transaction of several scopes: what most of them ask for goes in one statement of all that ask in the same turn. */
export type Shared = ReturnType<typeof sharedOn>;

export function sharedOn(tx: TransactionSql, cluster: string) {
  const sent: Promise<unknown>[] = [];
  const onTheWay = (write: Promise<unknown>): void => {
    // What failed before anybody asks is said when somebody does.
    write.catch(() => undefined);
    sent.push(write);
  };
  const all = { max: Number.POSITIVE_INFINITY, atOnce: Number.POSITIVE_INFINITY };
  return {
    tx,
    onTheWay,
    arrived: () => Promise.all(sent),
    find: inBatches<Ask, readonly Row[]>({ ...all, run: (asks) => findRows(tx, cluster, asks) }),
    write: inBatches<Writing, true>({
      ...all,
      run: async (writings) => {
        onTheWay(writeRows(tx, cluster, writings));
        return writings.map(() => true);
      },
    }),
  };
}

/** One scope's part of it. */
export type Part = {
  readonly place: Place;
  readonly ledger: Readonly<Ledger>;
  readonly transaction: Transaction;
};

export function partOf({ tx, onTheWay, ...shared }: Shared, { place, locked }: Beginning): Part {
  const ledger: Ledger = { cursor: undefined, changed: [] };
  let standing = new Map<string, string>();
  let written = locked;
  const behindLock = async <T>(read: Promise<T>): Promise<T> =>
    (await Promise.all([locked, read]))[1];
  const writeNext = async (rows: readonly Row[]) => {
    if (rows.length === 0) return;
    ledger.changed.push(...rows.map(({ namespace, name }) => ({ namespace, name })));
    const writing = { place, rows, standing };
    standing = new Map();
    await shared.write(writing);
  };
  const transaction: Transaction = {
    async find(wanted) {
      const found = await behindLock(shared.find({ place, wanted }));
      for (const row of found) if (!row.isDeleted) standing.set(row.uid, placeOf(row));
      return found;
    },
    async write(rows) {
      // One write after the other: what both of them have is in one statement only once.
      written = written.then(() => writeNext(rows));
      await written;
    },
    async mark(uids, generation) {
      await locked;
      onTheWay(mark(tx, place, { uids, generation }));
    },
    async forget(uids) {
      await locked;
      ledger.changed.push(...(await forget(tx, place, uids)));
    },
    unmarked: (before) => behindLock(unmarkedRows(tx, place, before)),
    countUnmarked: (before) => behindLock(countUnmarked(tx, place, before)),
    page: (page) => behindLock(pageOfRows(tx, place, page)),
    versions: (page) => behindLock(pageOfVersions(tx, place, page)),
    versionsOf: (uids) => behindLock(versionsByUid(tx, place, uids)),
    async setCursor(cursor) {
      ledger.cursor = cursor;
    },
    async setCaughtUp(atMs) {
      await locked;
      onTheWay(setCaughtUp(tx, place, atMs));
    },
    async setBackfill(backfill) {
      await locked;
      onTheWay(setBackfill(tx, place, backfill));
    },
  };
  return { place, ledger, transaction };
}

/** Touches no index and no body. What it takes over from a scope that is no more is ours from here on. */
async function mark(
  tx: TransactionSql,
  place: Place,
  { uids, generation }: { readonly uids: readonly string[]; readonly generation: number },
): Promise<void> {
  await tx`
    update objects o set generation = ${generation}, scope = ${place.scope}
    where ${oursIn(tx, place)} and o.uid = any(${arrayText(uids.map(storable))}::text[])
      and o.deleted_at is null`;
}

function forget(tx: TransactionSql, place: Place, uids: readonly string[]) {
  return tx<{ namespace: string; name: string }[]>`
    delete from objects o
    where ${oursIn(tx, place)} and o.uid = any(${arrayText(uids.map(storable))}::text[])
      and o.deleted_at is null
    returning o.namespace, o.name`;
}

async function setCaughtUp(
  tx: TransactionSql,
  { cluster, scope }: Place,
  atMs: number,
): Promise<void> {
  await tx`
    update watches set caught_up_at = to_timestamp(${atMs}::float8 / 1000)
    where cluster = ${cluster} and scope = ${scope}`;
}

async function setBackfill(
  tx: TransactionSql,
  { cluster, scope }: Place,
  { function: name, fingerprint, after, isDone }: Backfill,
): Promise<void> {
  await tx`
    insert into backfills (cluster, scope, function, fingerprint, after, is_done)
    values (${cluster}, ${scope}, ${name}, ${fingerprint}, ${after}, ${isDone})
    on conflict (cluster, scope, function) do update set
      fingerprint = excluded.fingerprint, after = excluded.after, is_done = excluded.is_done`;
}
