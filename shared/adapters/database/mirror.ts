import type { Sql } from 'postgres';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Mirror } from '#shared/ports.ts';
import { type Condition, conditionOf, isOf } from './selecting.ts';
import { type Realm, storable } from './terms.ts';

const usualPageSize = 500;

type Read = { readonly version: string };
type Page = Read & { readonly uid: string | null; readonly body: KubeObject };

/**
 * Each statement reads the version together with what it is true for. A list that is longer than a page goes on with
 * what is there then: never older than its version, but no transaction is held open while somebody goes through it.
 */
export function mirrorOn(sql: Sql, { cluster }: { readonly cluster: string }): Mirror {
  const realmOf = ({ group, resource }: Kind): Realm => ({ cluster, group, resource });
  return {
    async find(kind, { namespace = '', name }) {
      const realm = realmOf(kind);
      const [found] = await sql<(Read & { readonly body: KubeObject | null })[]>`
        with ${versionOf(sql, realm)}
        select at.version, o.body from at left join objects o
          on ${isOf(sql, realm)} and o.deleted_at is null
          and o.namespace = ${storable(namespace)} and o.name = ${storable(name)}`;
      return { object: found?.body ?? undefined, resourceVersion: found?.version ?? '' };
    },
    async findByUid(kind, uid) {
      const realm = realmOf(kind);
      const [found] = await sql<(Read & { body: KubeObject | null; is_deleted: boolean })[]>`
        with ${versionOf(sql, realm)}
        select at.version, o.body, o.deleted_at is not null as is_deleted
        from at left join objects o on ${isOf(sql, realm)} and o.uid = ${storable(uid)}`;
      return {
        object: found?.body ?? undefined,
        resourceVersion: found?.version ?? '',
        isDeleted: found?.is_deleted ?? false,
      };
    },
    async list(kind, options = {}) {
      const realm = realmOf(kind);
      const conditions = conditionOf(sql, realm, options);
      const max = options.pageSize ?? usualPageSize;
      const read = (after: string) => readPage(sql, realm, { conditions, after, max });
      const first = await read('');
      return { resourceVersion: first[0]?.version ?? '', objects: paged(first, { read, max }) };
    },
  };
}

/** The least of the kind's scopes: of what they all say, nothing is older. Empty while one of them has no whole list. */
function versionOf(sql: Sql, { cluster, group, resource }: Realm): Condition {
  return sql`at as (
    select case when bool_and(position = 'watching')
      then (array_agg(resource_version order by length(resource_version), resource_version))[1]
      else '' end as version
    from watches
    where cluster = ${cluster} and api_group = ${group} and resource = ${resource}
      and not is_retired)`;
}

type Reading = { readonly conditions: Condition; readonly after: string; readonly max: number };

function readPage(sql: Sql, realm: Realm, { conditions, after, max }: Reading) {
  return sql<Page[]>`
    with ${versionOf(sql, realm)}
    select coalesce(at.version, '') as version, page.uid, page.body
    from at left join lateral (
      select o.uid, o.body from objects o
      where ${isOf(sql, realm)} and o.deleted_at is null and o.uid > ${after} ${conditions}
      order by o.uid limit ${max}) page on true
    order by page.uid`;
}

async function* paged(
  first: readonly Page[],
  {
    read,
    max,
  }: { readonly read: (after: string) => Promise<readonly Page[]>; readonly max: number },
): AsyncGenerator<KubeObject> {
  for (let page = first; ; page = await read(page.at(-1)?.uid ?? '')) {
    for (const { uid, body } of page) if (uid !== null) yield body;
    if (page.length < max || page.at(-1)?.uid == null) return;
  }
}
