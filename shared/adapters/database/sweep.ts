import type { PendingQuery, Row as Record, Sql } from 'postgres';
import { arrayText } from './columns.ts';
import { kindOfScope } from './scope-kind.ts';
import { placeOfScope } from './scope-place.ts';

/**
 * Takes the scopes that are followed no more out of the count, once nobody holds them; what they mirrored belongs to
 * whoever follows its place. The rows of `watches` stay: a term never goes back.
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

type Unfollowed = Sweep & { readonly olderThanMs?: number | undefined };

/**
 * Takes the rows away whose place nobody has followed for an hour, without a word: nothing was deleted in the cluster.
 * Whoever comes sooner (a roll-out that stands still, a leader in a long backoff) finds them, and tells what changed
 * meanwhile. What is swept once has no rows again before somebody holds it: it is not looked at a second time, since
 * that is a walk past all rows of the kind (with 50,000 of them 265 ms).
 */
export async function sweepUnfollowed(
  sql: Sql,
  { cluster, max, olderThanMs = hourMs }: Unfollowed,
): Promise<number> {
  const retired = await sql<{ scope: string }[]>`
    select scope from watches
    where cluster = ${cluster} and is_retired and lease_until > '-infinity'
      and lease_until <= clock_timestamp() - ${olderThanMs} * interval '1 ms'`;
  let count = 0;
  for (const { scope } of retired) count += await sweepScope(sql, { cluster, scope, max });
  return count;
}

type OneScope = Sweep & { readonly scope: string };

async function sweepScope(sql: Sql, { cluster, scope, max }: OneScope): Promise<number> {
  const { group, resource } = kindOfScope(scope);
  const following = await sql<{ scope: string }[]>`
    select scope from watches
    where cluster = ${cluster} and api_group = ${group} and resource = ${resource}
      and not is_retired`;
  const places = JSON.stringify(following.map((each) => placeOfScope(each.scope)));
  const left = sql`o.cluster = ${cluster} and o.api_group = ${group} and o.resource = ${resource}
    and o.scope = ${scope} and o.deleted_at is null`;
  // Whoever comes back to the scope waits, or is there already: then its rows are not swept.
  const swept = await sql`
    with retired as materialized (
      select scope from watches
      where cluster = ${cluster} and scope = ${scope} and is_retired for update skip locked)
    delete from objects where ctid = any(array(
      select o.ctid from objects o
      where exists (select from retired) and ${left} and not exists (
        select from json_to_recordset(${places}::text::json) as place (namespace text, name text)
        where o.namespace = coalesce(place.namespace, o.namespace)
          and o.name = coalesce(place.name, o.name))
      limit ${max} for update skip locked))`;
  await sql`
    update watches set lease_until = '-infinity'
    where cluster = ${cluster} and scope = ${scope} and is_retired
      and not exists (select from objects o where ${left})`;
  return swept.count;
}
