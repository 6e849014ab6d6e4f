import type { Sql } from 'postgres';
import { arrayText } from '#shared/domain/array-text.ts';
import { scopesOfAll } from '#shared/domain/watched.ts';

/** Of a kind, and of one namespace where it is not empty: those after a uid. */
export type Membership = {
  readonly cluster: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly after: string;
  readonly again?: Again | undefined;
};

type Again = { readonly since: number };

export type Member = { readonly namespace: string; readonly name: string; readonly uid: string };

/** Moments are milliseconds of the database's clock. */
export type Found = {
  readonly members: readonly Member[];
  readonly now: number;
  /** The mirror has all that was in the cluster then. */
  readonly caughtUpAt: number;
};

type Row = {
  readonly isFollowed: boolean;
  readonly isKnown: boolean;
  readonly now: number;
  /** None where nobody has to come anywhere: nobody serves the kind. */
  readonly caughtUpAt: number | null;
} & (Member | { readonly uid: null });

/**
 * One page of what lives, in the order of uids. Unknown, as other reads of the mirror, before a whole list of them; of a
 * kind that nobody serves there is none.
 */
export async function membersOf(
  sql: Sql,
  { cluster, group, resource, namespace, after, again }: Membership,
  max: number,
): Promise<Found | 'unknown' | 'unfollowed'> {
  const place = namespace === '' ? sql`` : sql`and namespace = ${namespace}`;
  const living = sql`
    cluster = ${cluster} and api_group = ${group} and resource = ${resource} ${place}
    and deleted_at is null`;
  const since =
    again === undefined
      ? sql``
      : sql`and mirrored_at >= to_timestamp(${again.since}::float8 / 1000)`;
  const whole = arrayText(scopesOfAll({ group, resource }, { namespace }));
  const rows = await sql<Row[]>`
    with following as (
      select coalesce(w.caught_up_at, to_timestamp(0)) as caught_up_at,
        w.position = 'watching' as is_watching, w.epoch = c.epoch
        and (w.position = 'watching' or w.position = 'nowhere' and w.generation > 0
          and not exists (select from objects where ${living})) as is_known
      from watches w join clusters c on c.cluster = w.cluster
      where w.cluster = ${cluster} and w.scope = any(${whole}::text[]) and not w.is_retired
    ), followed as (
      select count(*) > 0 as is_followed, coalesce(bool_and(is_known), false) as is_known,
        clock_timestamp() as now,
        min(caught_up_at) filter (where is_watching) as caught_up_at
      from following)
    select is_followed as "isFollowed", is_known as "isKnown",
      floor(extract(epoch from now) * 1000)::float8 as now,
      floor(extract(epoch from caught_up_at) * 1000)::float8 as "caughtUpAt",
      page.namespace, page.name, page.uid
    from followed left join lateral (
      select namespace, name, uid from objects
      where ${living} ${since} and uid > ${after}
      order by uid limit ${max}) page on true
    order by page.uid`;
  const [first] = rows;
  if (first?.isFollowed !== true) return 'unfollowed';
  if (!first.isKnown) return 'unknown';
  return {
    members: rows.flatMap(memberIn),
    now: first.now,
    caughtUpAt: first.caughtUpAt ?? first.now,
  };
}

function memberIn(row: Row): readonly Member[] {
  if (row.uid === null) return [];
  const { namespace, name, uid } = row;
  return [{ namespace, name, uid }];
}
