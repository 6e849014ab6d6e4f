import type { Sql } from 'postgres';
import { arrayText } from '#shared/domain/array-text.ts';
import type { Kind } from '#shared/domain/kind.ts';
import { isRunning } from './lease-time.ts';

export type KindName = Pick<Kind, 'group' | 'resource'>;

/** What a heartbeat reads of one scope. Ages are by the database's clock alone. */
export type FollowedScope = KindName & {
  readonly scope: string;
  readonly changes: number;
  readonly isWatching: boolean;
  /** Somebody holds the lease. */
  readonly isLed: boolean;
  /** Since the cursor was last set, which bookmarks do about every minute. */
  readonly quietMs: number;
};

/**
 * A kind's rows are what the cluster has while a forwarder is at work on every scope of it: it has listed in this history, it holds its
 * lease, and its watch is heard of. For one object a scope that holds it is `enough`. A connection to the API server that is half open shows in the last one only.
 */
export function isFollowed(
  scopes: readonly FollowedScope[],
  longestQuietMs: number,
  enough?: readonly string[],
): boolean {
  const isEnough = ({ scope }: FollowedScope) =>
    wholeKind.test(scope) || enough?.includes(scope) === true;
  // Of one object, what follows others says nothing.
  const concerned = enough === undefined ? scopes : scopes.filter(isEnough);
  return (
    concerned.some(isEnough) &&
    concerned.every((each) => each.isWatching && each.isLed && isHeardOf(each, longestQuietMs))
  );
}

/** Not where it was by a clock that was set back since: it would be so for the whole step. */
function isHeardOf({ quietMs }: FollowedScope, longestQuietMs: number): boolean {
  return quietMs <= longestQuietMs && quietMs >= -clockSlackMs;
}

/** As far as a clock is set right without a step. */
const clockSlackMs = 1_000;

/** Neither one namespace nor what a selector lets through: a list of those alone would be no list of the kind. */
const wholeKind = /^[^/?]+(\?metadata)?$/;

export async function readFollowed(
  sql: Sql,
  { cluster, kinds }: { readonly cluster: string; readonly kinds: readonly KindName[] },
): Promise<readonly FollowedScope[]> {
  const resources = arrayText(kinds.map(({ resource }) => resource));
  const groups = arrayText(kinds.map(({ group }) => group));
  // What belongs to a history that is over says nothing of what is true now.
  return sql<FollowedScope[]>`
    select api_group as "group", resource, scope, changes::float8 as changes,
      position = 'watching' and epoch = coalesce(
        (select c.epoch from clusters c where c.cluster = w.cluster), epoch) as "isWatching",
      ${isRunning(sql, sql`lease_until`)} as "isLed",
      extract(epoch from clock_timestamp() - updated_at)::float8 * 1000 as "quietMs"
    from watches w
    where cluster = ${cluster} and not is_retired
      and (resource, api_group) in (
        select * from unnest(${resources}::text[], ${groups}::text[]))`;
}

/** What the mirror has of the kind may be older than it should be; of one object, where its scopes are named as enough. */
export type IsStale = (kind: KindName, enough?: readonly string[]) => Promise<boolean>;

/** By a question each time, for whoever does not listen. */
export function stalenessOn(
  sql: () => Promise<Sql>,
  { cluster, quietMs }: { readonly cluster: string; readonly quietMs: number },
): IsStale {
  return async (kind, enough) => {
    const scopes = await readFollowed(await sql(), { cluster, kinds: [kind] });
    return !isFollowed(scopes, quietMs, enough);
  };
}

export function kindKey({ group, resource }: KindName): string {
  return `${resource}.${group}`;
}
