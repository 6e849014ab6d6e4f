import type { Transaction } from '#events/forwarder/ports.ts';
import { landing } from '#shared/adapters/database/rows.ts';
import { maxPageBytes } from '#shared/adapters/database/scope-pages.ts';
import { isWithinPlace, placeOfScope } from '#shared/adapters/database/scope-place.ts';
import {
  type Backfill,
  type Cursor,
  mirroredForm,
  placeOf,
  type Row,
  type RowPage,
  type RowVersion,
  rowLeftUnread,
} from '#shared/domain/mirrored.ts';
import {
  backfillKey,
  byUid,
  type MirrorShelf,
  type Place,
  rowKey,
  type StoredRow,
  watchKey,
} from './shelf.ts';

export type Pending = {
  /** `undefined`: taken out. */
  readonly rows: Map<string, StoredRow | undefined>;
  readonly backfills: Map<string, Backfill>;
  cursor: Cursor | undefined;
  caughtUpAtMs: number | undefined;
  isChanged: boolean;
};

type Parts = { readonly shelf: MirrorShelf; readonly place: Place; readonly nowMs: () => number };

/** Sees what others have committed, and what it wrote itself. */
export function pendingOn({ shelf, place, nowMs }: Parts) {
  const pending: Pending = {
    rows: new Map(),
    backfills: new Map(),
    cursor: undefined,
    caughtUpAtMs: undefined,
    isChanged: false,
  };
  const keyOf = (uid: string) => rowKey(place, uid);
  const all = () => visible(shelf, pending, place);
  const ours = () => all().filter((stored) => isOurs(shelf, stored, place));
  const storedNow = (uid: string) => {
    const key = keyOf(uid);
    return pending.rows.has(key) ? pending.rows.get(key) : shelf.rows.get(key);
  };
  const put = ({ isInherited: _, ...row }: Row, deletedAtMs: number | undefined) => {
    const stored = storedNow(row.uid);
    const isBack = stored?.row.isDeleted === true && !row.isDeleted;
    const mirroredAtMs = stored === undefined || isBack ? nowMs() : stored.mirroredAtMs;
    pending.rows.set(keyOf(row.uid), { ...place, row, mirroredAtMs, deletedAtMs });
  };
  const bury = (row: Row) => {
    put({ ...row, isDeleted: true }, storedNow(row.uid)?.deletedAtMs ?? nowMs());
  };
  const land = (row: Row, namesake: string | undefined) => {
    if (row.isDeleted) return bury(row);
    const other = namesake === undefined ? undefined : storedNow(namesake)?.row;
    if (other !== undefined && other.uid !== row.uid && !other.isDeleted) bury(other);
    put(row, undefined);
  };
  const liveBehind = (after: string) =>
    all()
      .filter((stored) => isLive(stored) && stored.scope === place.scope)
      .filter(({ row }) => row.uid > after)
      .sort(byUid)
      .map(({ row }) => row);
  const unmarkedOf = (generation: number) =>
    ours()
      .filter(isLive)
      .filter(({ row, scope }) => scope !== place.scope || row.generation < generation);

  const operations: Omit<Transaction, 'send'> = {
    async find({ uids, names, withoutObjects = false }) {
      const places = new Set(names.map(placeOf));
      return ours()
        .filter(({ row }) => uids.includes(row.uid) || (!row.isDeleted && places.has(placeOf(row))))
        .map((stored) => seenFrom(stored, place))
        .map((row) => (withoutObjects ? leftUnread(row) : row));
    },
    async write(rows) {
      if (rows.length === 0) return;
      pending.isChanged = true;
      const holders = new Map(
        all()
          .filter(isLive)
          .map(({ row }) => [placeOf(row), row.uid]),
      );
      for (const row of landing(rows)) {
        land({ ...row, object: mirroredForm(row.object) }, holders.get(placeOf(row)));
      }
    },
    async mark(uids, generation) {
      for (const { row } of ours().filter(isLive)) {
        if (uids.includes(row.uid)) put({ ...row, generation }, undefined);
      }
    },
    async forget(uids) {
      for (const { row } of ours().filter(isLive)) {
        if (!uids.includes(row.uid)) continue;
        pending.isChanged = true;
        pending.rows.set(keyOf(row.uid), undefined);
      }
    },
    async unmarked({ generation, max }) {
      const found = unmarkedOf(generation).sort(byUid);
      return cut(
        found.map((stored) => seenFrom(stored, place)),
        max,
      );
    },
    async countUnmarked({ generation, max }) {
      return Math.min(unmarkedOf(generation).length, max);
    },
    page: async ({ after, max }) => cut(liveBehind(after), max),
    versions: async ({ after, max }) => liveBehind(after).slice(0, max).map(versionOf),
    async versionsOf(uids) {
      return ours().flatMap(({ row }) => (uids.includes(row.uid) ? [versionOf(row)] : []));
    },
    async setCursor(cursor) {
      pending.cursor = cursor;
    },
    async setCaughtUp(atMs) {
      pending.caughtUpAtMs = atMs;
    },
    async setBackfill(backfill) {
      pending.backfills.set(backfill.function, backfill);
    },
  };
  return { operations, apply: () => apply(pending, { shelf, place }) };
}

function visible(shelf: MirrorShelf, pending: Pending, place: Place): readonly StoredRow[] {
  const merged = new Map<string, StoredRow | undefined>([...shelf.rows, ...pending.rows]);
  return [...merged.values()].flatMap((stored) =>
    stored !== undefined && isOfKind(stored, place) ? [stored] : [],
  );
}

function isOfKind(stored: StoredRow, { cluster, group, resource }: Place): boolean {
  return stored.cluster === cluster && stored.group === group && stored.resource === resource;
}

function isOurs(shelf: MirrorShelf, stored: StoredRow, { scope }: Place): boolean {
  if (stored.scope === scope) return true;
  if (!isWithinPlace(stored.row, placeOfScope(scope))) return false;
  const watch = shelf.watches.get(watchKey(stored));
  return watch === undefined || watch.isRetired;
}

function isLive({ row }: StoredRow): boolean {
  return !row.isDeleted;
}

/** As the database does: whoever fills the bytes is the last one. */
function cut(rows: readonly Row[], max: number): RowPage {
  let bytes = 0;
  const page: Row[] = [];
  for (const row of rows) {
    if (page.length === max || bytes >= maxPageBytes) break;
    page.push(row);
    bytes += Buffer.byteLength(JSON.stringify(row.object));
  }
  return { rows: page, isLast: page.length === rows.length && page.length < max };
}

function versionOf(row: Row): RowVersion {
  const { uid, namespace, name, resourceVersion, epoch, isDeleted } = row;
  return { uid, namespace, name, resourceVersion, epoch, isDeleted };
}

function seenFrom({ row, scope }: StoredRow, place: Place): Row {
  return scope === place.scope ? row : { ...row, isInherited: true };
}

function leftUnread({ object: _, ...state }: Row): Row {
  return rowLeftUnread(state);
}

function apply(pending: Pending, { shelf, place }: Omit<Parts, 'nowMs'>): void {
  for (const [key, stored] of pending.rows) {
    if (stored === undefined) shelf.rows.delete(key);
    else shelf.rows.set(key, stored);
  }
  for (const backfill of pending.backfills.values()) {
    const { cluster, scope } = place;
    shelf.backfills.set(backfillKey(place, backfill.function), { cluster, scope, backfill });
  }
  const watch = shelf.watches.get(watchKey(place));
  if (watch === undefined) return;
  shelf.watches.set(watchKey(place), {
    ...watch,
    cursor: pending.cursor ?? watch.cursor,
    changes: watch.changes + (pending.isChanged ? 1 : 0),
    caughtUpAtMs: pending.caughtUpAtMs ?? watch.caughtUpAtMs,
  });
}
