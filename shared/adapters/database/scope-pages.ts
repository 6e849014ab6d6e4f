import type { TransactionSql } from 'postgres';
import { arrayText } from '#shared/domain/array-text.ts';
import type { RowPage, RowVersion } from '#shared/domain/mirrored.ts';
import { rowFrom, type StoredRow, type StoredVersion, versionFrom } from './columns.ts';
import { cutAt, isBeforeCut } from './cut.ts';
import { bodiless, type Fragment, oursIn, type Place } from './scope-rows.ts';
import { storable } from './terms.ts';

export type Before = { readonly generation: number; readonly max: number };
export type From = { readonly after: string; readonly max: number };

/** The forwarder has 52 MiB for ten kinds, and what is read here is parsed and written again: three of half a MiB of `{}` ended it. */
export const maxPageBytes = 256 * 1024;

export function pageOfRows(
  tx: TransactionSql,
  place: Place,
  { after, max }: From,
): Promise<RowPage> {
  return pageOf(tx, place, { wanted: isLiveBehind(tx, place, after), max });
}

export function unmarkedRows(
  tx: TransactionSql,
  place: Place,
  { generation, max }: Before,
): Promise<RowPage> {
  return pageOf(tx, place, { wanted: isUnmarked(tx, place, generation), max });
}

export async function countUnmarked(
  tx: TransactionSql,
  place: Place,
  { generation, max }: Before,
): Promise<number> {
  const [counted] = await tx<{ count: number }[]>`
    select count(*)::int as count from (
      select from objects o where ${isUnmarked(tx, place, generation)} limit ${max}) found`;
  return counted?.count ?? 0;
}

export async function pageOfVersions(
  tx: TransactionSql,
  place: Place,
  { after, max }: From,
): Promise<readonly RowVersion[]> {
  const found = await tx<StoredVersion[]>`
    select ${bodiless(tx, tx`${place.scope}`)} from objects o
    where ${isLiveBehind(tx, place, after)} order by o.uid limit ${max}`;
  return found.map(versionFrom);
}

export async function versionsByUid(
  tx: TransactionSql,
  place: Place,
  uids: readonly string[],
): Promise<readonly RowVersion[]> {
  const found = await tx<StoredVersion[]>`
    select ${bodiless(tx, tx`${place.scope}`)} from objects o
    where ${oursIn(tx, place)} and o.uid = any(${arrayText(uids.map(storable))}::text[])`;
  return found.map(versionFrom);
}

type Wanted = { readonly wanted: Fragment; readonly max: number };

/** Small bodies cost what they did without a cut: 50,000 of 640 bytes in pages of 500, 0.7 to 1.1 s and 1.0 to 1.3 s. */
async function pageOf(tx: TransactionSql, place: Place, { wanted, max }: Wanted): Promise<RowPage> {
  const found = await tx<(StoredRow & { readonly count: number })[]>`
    with page as materialized (
      select ${bodiless(tx, tx`${place.scope}`)}, o.body from objects o
      where ${wanted} order by o.uid limit ${max}),
    ${cutAt(tx, maxPageBytes)}
    select page.*, page.body::text as body, (select count(*)::int from page) as count from page
    where ${isBeforeCut(tx)} order by page.uid`;
  const count = found[0]?.count ?? 0;
  return {
    rows: found.map((stored) => rowFrom(stored)),
    isLast: count === found.length && count < max,
  };
}

function isLiveBehind(tx: TransactionSql, place: Place, after: string): Fragment {
  return tx`o.cluster = ${place.cluster} and o.api_group = ${place.group}
    and o.resource = ${place.resource} and o.scope = ${place.scope}
    and o.deleted_at is null and o.uid > ${after}`;
}

/** A row of another scope was marked by nobody who counts as we do. */
function isUnmarked(tx: TransactionSql, place: Place, generation: number): Fragment {
  return tx`${oursIn(tx, place)} and o.deleted_at is null
    and (o.scope <> ${place.scope} or o.generation < ${generation})`;
}
