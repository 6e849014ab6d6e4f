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

/**
 * Takes the rows of kinds away that nobody follows any more, without a word: nothing was deleted in the cluster. Steps
 * from kind to kind through the index: a walk past all rows took 265 ms a minute with 50,000 of them.
 */
export async function sweepUnfollowed(sql: Sql, { cluster, max }: Sweep): Promise<number> {
  const swept = await sql`
    with recursive kinds as (
      (select api_group, resource from objects where cluster = ${cluster}
        order by api_group, resource limit 1)
      union all
      select next.* from kinds cross join lateral (
        select api_group, resource from objects
        where cluster = ${cluster}
          and (api_group, resource) > (kinds.api_group, kinds.resource)
        order by api_group, resource limit 1) as next),
    unfollowed as materialized (
      select * from kinds where not exists (
        select from watches w
        where w.cluster = ${cluster} and w.api_group = kinds.api_group
          and w.resource = kinds.resource and not w.is_retired))
    delete from objects where ctid = any(array(
      select gone.ctid from unfollowed cross join lateral (
        select o.ctid from objects o
        where o.cluster = ${cluster} and o.api_group = unfollowed.api_group
          and o.resource = unfollowed.resource and o.deleted_at is null
        limit ${max} for update skip locked) as gone
      limit ${max}))`;
  return swept.count;
}
