import type { TransactionSql } from 'postgres';
import type { Kind } from '#shared/domain/kind.ts';
import {
  type Cursor,
  placeOf,
  type Row,
  type RowPage,
  type RowVersion,
} from '#shared/domain/mirrored.ts';
import type { Backfill } from './backfill.ts';
import { arrayText } from './columns.ts';
import { storedFrom } from './cursor.ts';
import { channel, noticeText } from './notice.ts';
import {
  type Before,
  countUnmarked,
  type From,
  pageOfRows,
  pageOfVersions,
  unmarkedRows,
  versionsByUid,
} from './scope-pages.ts';
import { findRows, oursIn, type Place, type Wanted } from './scope-rows.ts';
import { storable } from './terms.ts';
import { writeRows } from './write-rows.ts';

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
  setBackfill(backfill: Backfill): Promise<void>;
};

export type Notifies = (kind: Pick<Kind, 'group' | 'resource'>) => boolean;

/** What the one statement at the end says. */
type Ledger = {
  cursor: Cursor | undefined;
  readonly changed: Pick<Row, 'namespace' | 'name'>[];
};

/** How many rows were written, and how far that is. */
export type Concluded = { readonly written: number; readonly cursor: Cursor | undefined };

export type Beginning = {
  readonly place: Place;
  readonly notifies: Notifies;
  /** On its way already, and the server carries out one after another. Without it, nothing of this happens. */
  readonly locked: Promise<unknown>;
};

export function transactionOn(tx: TransactionSql, { place, notifies, locked }: Beginning) {
  const ledger: Ledger = { cursor: undefined, changed: [] };
  let standing = new Map<string, string>();
  const { onTheWay, arrived } = openWay();
  const behindLock = async <T>(read: Promise<T>): Promise<T> =>
    (await Promise.all([locked, read]))[1];
  const transaction: Transaction = {
    async find(wanted) {
      const found = await behindLock(findRows(tx, place, wanted));
      for (const row of found) if (!row.isDeleted) standing.set(row.uid, placeOf(row));
      return found;
    },
    async write(rows) {
      await locked;
      if (rows.length === 0) return;
      ledger.changed.push(...rows.map(({ namespace, name }) => ({ namespace, name })));
      onTheWay(writeRows(tx, place, { rows, standing }));
      standing = new Map();
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
    async setBackfill(backfill) {
      await locked;
      onTheWay(setBackfill(tx, place, backfill));
    },
  };
  const finish = async (): Promise<Concluded> => {
    await locked;
    onTheWay(conclude(tx, place, { ...ledger, notifies }));
    await arrived();
    return { written: ledger.changed.length, cursor: ledger.cursor };
  };
  return { transaction, onTheWay, finish };
}

function openWay() {
  const sent: Promise<unknown>[] = [];
  return {
    onTheWay(write: Promise<unknown>): void {
      // What failed before anybody asks is said when somebody does.
      write.catch(() => undefined);
      sent.push(write);
    },
    arrived: () => Promise.all(sent),
  };
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

/** Cursor, count and notice on one way there. Who hears the notice finds what it is about: it is sent with the commit. */
async function conclude(
  tx: TransactionSql,
  place: Place,
  { cursor, changed, notifies }: Ledger & { readonly notifies: Notifies },
): Promise<void> {
  const isChanged = changed.length > 0;
  if (cursor === undefined && !isChanged) return;

  const { epoch, generation, position, resource_version } = cursor ? storedFrom(cursor) : kept;
  await tx`
    with moved as (
      update watches set
        epoch = coalesce(${epoch}::int, epoch),
        generation = coalesce(${generation}::int, generation),
        resource_version = case when ${cursor === undefined} then resource_version
          else ${resource_version}::text end,
        position = coalesce(${position}::text, position),
        changes = changes + ${isChanged ? 1 : 0}, updated_at = clock_timestamp()
      where cluster = ${place.cluster} and scope = ${place.scope}
      returning changes)
    select pg_notify(${channel}, '{"changes":' || changes || ${noticeText(place, changed)}::text)
    from moved where ${isChanged && notifies(place)}`;
}

const kept = { epoch: null, generation: null, position: null, resource_version: null };
