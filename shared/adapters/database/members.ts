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
};

export type Member = { readonly namespace: string; readonly name: string; readonly uid: string };

type Row = { readonly isKnown: boolean } & (Member | { readonly uid: null });

/** One page of what lives, in the order of uids. `undefined`: as other reads of the mirror, nobody knows before a whole list of them. */
export async function membersOf(
  sql: Sql,
  { cluster, group, resource, namespace, after }: Membership,
  max: number,
): Promise<readonly Member[] | undefined> {
  const place = namespace === '' ? sql`` : sql`and namespace = ${namespace}`;
  const whole = arrayText(scopesOfAll({ group, resource }, { namespace }));
  const rows = await sql<Row[]>`
    with listed as (
      select coalesce(bool_and(w.position = 'watching' and w.epoch = c.epoch), false) as is_known
      from watches w join clusters c on c.cluster = w.cluster
      where w.cluster = ${cluster} and w.scope = any(${whole}::text[]) and not w.is_retired)
    select listed.is_known as "isKnown", page.namespace, page.name, page.uid
    from listed left join lateral (
      select namespace, name, uid from objects
      where cluster = ${cluster} and api_group = ${group} and resource = ${resource} ${place}
        and deleted_at is null and uid > ${after}
      order by uid limit ${max}) page on true
    order by page.uid`;
  return rows[0]?.isKnown ? rows.flatMap(memberIn) : undefined;
}

function memberIn(row: Row): readonly Member[] {
  if (row.uid === null) return [];
  const { namespace, name, uid } = row;
  return [{ namespace, name, uid }];
}
