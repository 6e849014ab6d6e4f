import type { PendingQuery, Row as Record, Sql } from 'postgres';
import { arrayText } from './columns.ts';

/**
 * Takes the scopes that are followed no more out of the count, once nobody holds them; what they mirrored belongs to
 * whoever follows the kind now. The rows of `watches` stay: a term never goes back.
 */
export async function retireScopes(
  sql: Sql,
  { cluster, followed }: { readonly cluster: string; readonly followed: readonly string[] },
): Promise<readonly string[]> {
  const retired = await sql<{ scope: string }[]>`
    with retired as (
      update watches set is_retired = true, holder = null, position = 'nowhere',
        resource_version = null
      where cluster = ${cluster} and not is_retired and lease_until <= clock_timestamp()
        and scope <> all(${arrayText(followed)}::text[])
      returning cluster, scope),
    forgotten as (
      delete from backfills b using retired r where b.cluster = r.cluster and b.scope = r.scope)
    select scope from retired`;
  return retired.map(({ scope }) => scope);
}

type Sweep = { readonly cluster: string; readonly max: number };

export type TombstoneSweep = Sweep & {
  /** A condition on `o.uid`: who else still speaks of it. The tables that it reads are another room's. */
  readonly isNamed: (sql: Sql) => PendingQuery<Record[]>;
  /** With a queue outside of the database: for as long as that keeps a message. */
  readonly olderThanMs?: number | undefined;
};

const hourMs = 3_600_000;

/** Takes tombstones away that nobody can ask for any more. How many there were. */
export async function sweepTombstones(sql: Sql, sweep: TombstoneSweep): Promise<number> {
  const { cluster, max, isNamed, olderThanMs = hourMs } = sweep;
  const swept = await sql`
    delete from objects where ctid = any(array(
      select o.ctid from objects o
      where o.cluster = ${cluster}
        and o.deleted_at < now() - ${olderThanMs} * interval '1 ms' and not (${isNamed(sql)})
      order by o.deleted_at limit ${max} for update skip locked))`;
  return swept.count;
}

/** Takes the rows of kinds away that nobody follows any more, without a word: nothing was deleted in the cluster. */
export async function sweepUnfollowed(sql: Sql, { cluster, max }: Sweep): Promise<number> {
  const swept = await sql`
    delete from objects where ctid = any(array(
      select o.ctid from objects o
      where o.cluster = ${cluster} and o.deleted_at is null and not exists (
        select from watches w
        where w.cluster = o.cluster and w.api_group = o.api_group and w.resource = o.resource
          and not w.is_retired)
      limit ${max} for update skip locked))`;
  return swept.count;
}
