import { placeOf, type Row, rowIn } from '#shared/domain/mirrored.ts';

/**
 * One row a uid, the last one; tombstones first. Of two that live under one name the later one does: the earlier is
 * gone, whether anybody said so or not.
 */
export function landing(rows: readonly Row[]): readonly Row[] {
  const byUid = new Map(rows.map((row) => [row.uid, row]));
  const settled = byUid.size === rows.length ? rows : inOrderOfLast(rows, byUid);
  const holders = new Map(settled.filter(isLive).map((row) => [placeOf(row), row.uid]));
  const landed = settled.map((row) =>
    isLive(row) && holders.get(placeOf(row)) !== row.uid ? rowIn(row, { isDeleted: true }) : row,
  );
  return [...landed.filter((row) => !isLive(row)), ...landed.filter(isLive)];
}

function isLive({ isDeleted }: Row): boolean {
  return !isDeleted;
}

function inOrderOfLast(rows: readonly Row[], byUid: ReadonlyMap<string, Row>): readonly Row[] {
  return rows.filter((row) => byUid.get(row.uid) === row);
}
