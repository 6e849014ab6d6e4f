import type { PendingQuery, Row as Record, Sql, TransactionSql } from 'postgres';
import { arrayText } from '#shared/domain/array-text.ts';
import type { KindName } from './followed.ts';
import { claimsLock, stallLimit, usualStallMs } from './lease.ts';
import { isRunning } from './lease-time.ts';
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
        resource_version = null, lease_until = least(lease_until, clock_timestamp())
      where cluster = ${cluster} and not is_retired and not ${isRunning(sql, sql`lease_until`)}
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
 * meanwhile. A kind is looked through once for each scope of it that is over, since that is a walk past all of its rows
 * (with 50,000 of them 265 ms): what is left then lies where somebody follows, until that one is over as well.
 */
export async function sweepUnfollowed(
  sql: Sql,
  { cluster, max, olderThanMs = hourMs }: Unfollowed,
): Promise<number> {
  const kinds = await sql<KindName[]>`
    select distinct api_group as "group", resource from watches
    where cluster = ${cluster} and is_retired and lease_until > '-infinity'
      and lease_until <= clock_timestamp() - ${olderThanMs} * interval '1 ms'`;
  let count = 0;
  for (const { group, resource } of kinds) {
    count += await sweepKind(sql, { cluster, group, resource, max, olderThanMs });
  }
  return count;
}

type OneKind = Sweep & KindName & { readonly olderThanMs: number };
type Followed = { readonly scope: string; readonly is_over: boolean };

/** Under the lock of the claims: nobody begins to follow one of these places meanwhile. */
function sweepKind(sql: Sql, { olderThanMs, max, ...kind }: OneKind): Promise<number> {
  return sql.begin(async (tx) => {
    await tx`select ${stallLimit(tx, usualStallMs)}, ${claimsLock(tx, kind)}`;
    const scopes = await tx<Followed[]>`
      select scope, is_retired
        and lease_until <= clock_timestamp() - ${olderThanMs} * interval '1 ms' as is_over
      from watches
      where cluster = ${kind.cluster} and api_group = ${kind.group} and resource = ${kind.resource}`;
    const over = arrayText(scopes.filter(({ is_over }) => is_over).map(({ scope }) => scope));
    const followed = scopes.filter(({ is_over }) => !is_over);
    const places = JSON.stringify(followed.map(({ scope }) => placeOfScope(scope)));
    const swept = await tx`
      delete from objects where ctid = any(array(
        select o.ctid from objects o
        where o.cluster = ${kind.cluster} and o.api_group = ${kind.group}
          and o.resource = ${kind.resource} and o.deleted_at is null
          and o.scope = any(${over}::text[]) and not exists (
            select from json_to_recordset(${places}::text::json) as place (namespace text, name text)
            where o.namespace = coalesce(place.namespace, o.namespace)
              and o.name = coalesce(place.name, o.name))
        limit ${max}))`;
    if (swept.count < max) await sayLookedThrough(tx, kind.cluster, over);
    return swept.count;
  }) as Promise<number>;
}

async function sayLookedThrough(tx: TransactionSql, cluster: string, over: string): Promise<void> {
  await tx`
    update watches set lease_until = '-infinity'
    where cluster = ${cluster} and scope = any(${over}::text[])`;
}
