import { type Cursor, placeOf, type Row } from '#shared/domain/mirrored.ts';
import type { Watching } from '#shared/domain/watched.ts';
import { knownOf } from './known.ts';
import type { Seen } from './seen.ts';
import { isBehind } from './versions.ts';
import { nothing, transact, type Writer, writeSeen } from './writer.ts';

export type Taken =
  | { readonly kind: 'committed'; readonly inherited: number }
  | { readonly kind: 'fenced' }
  | { readonly kind: 'went-back' };

/** All of it, by pages or by a stream. */
export type Complete = {
  readonly kind: 'complete';
  readonly resourceVersion: string;
  readonly objects: number;
  /** As many of them had a row that another scope left: whoever is new here may not have been told of them. */
  readonly inherited: number;
  /** Goes on where the list ended. */
  readonly watching?: Watching;
};

/**
 * A part of a list. A list tells of now: where the mirror knows more of the same history, the server's state went back
 * (a restore while nobody watched), and nothing of it is written before another epoch has begun.
 */
export async function commitListed(
  writer: Writer,
  seen: readonly Seen[],
  cursor: Cursor,
): Promise<Taken> {
  let isBack = false;
  let inherited = 0;
  const committed = await transact(writer, async (transaction) => {
    const known = await knownOf(seen, transaction);
    const before = known.filter((row) => !isOfThisList(row, cursor));
    isBack = wentBack(seen, before, cursor);
    inherited = known.filter((row) => isInherited(row, cursor)).length;
    return isBack ? nothing : writeSeen({ seen, known }, { transaction, writer, cursor });
  });
  if (committed.kind === 'fenced') return committed;
  return isBack ? { kind: 'went-back' } : { kind: 'committed', inherited };
}

/** A stream's lines may follow a look that has shown more: within one list nothing goes back, or it breaks off. */
function isOfThisList(row: Row, { generation }: Pick<Cursor, 'generation'>): boolean {
  return row.isInherited !== true && row.generation === generation;
}

/** What a scope left behind that nobody follows any more, or what is of the history before. */
function isInherited(row: Row, cursor: Pick<Cursor, 'epoch'>): boolean {
  return !row.isDeleted && (row.isInherited === true || row.epoch !== cursor.epoch);
}

/**
 * Of an object the list has an older version than the mirror, or one that the mirror knows to be deleted; or under its
 * name the mirror has a later one. Whoever wrote that row had read it from the same server, before.
 */
export function wentBack(
  seen: readonly Seen[],
  known: readonly Row[],
  { epoch }: Pick<Cursor, 'epoch'>,
): boolean {
  const rows = known.filter((row) => row.epoch === epoch);
  const byUid = new Map(rows.map((row) => [row.uid, row]));
  const byPlace = new Map(rows.filter(isLive).map((row) => [placeOf(row), row]));
  return seen.some((each) => {
    if (!('object' in each)) return false;
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = each.object.metadata;
    const row = byUid.get(uid) ?? byPlace.get(placeOf({ namespace, name }));
    if (row === undefined) return false;
    return row.isDeleted || isBehind(resourceVersion, row.resourceVersion);
  });
}

function isLive({ isDeleted }: Row): boolean {
  return !isDeleted;
}
