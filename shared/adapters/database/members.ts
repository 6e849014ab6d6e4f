import type { Sql } from 'postgres';

/** Of a kind, and of one namespace where it is not empty: those after a uid. */
export type Membership = {
  readonly cluster: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly after: string;
};

export type Member = { readonly namespace: string; readonly name: string; readonly uid: string };

/** One page of what lives, in the order of uids. */
export async function membersOf(
  sql: Sql,
  { cluster, group, resource, namespace, after }: Membership,
  max: number,
): Promise<readonly Member[]> {
  const place = namespace === '' ? sql`` : sql`and namespace = ${namespace}`;
  return sql<Member[]>`
    select namespace, name, uid from objects
    where cluster = ${cluster} and api_group = ${group} and resource = ${resource} ${place}
      and deleted_at is null and uid > ${after}
    order by uid limit ${max}`;
}
