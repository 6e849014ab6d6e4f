import type { TransactionSql } from 'postgres';
import type { Row } from '#shared/domain/mirrored.ts';
import { arrayText, rowFrom, type StoredRow } from './columns.ts';
import { placeOfScope } from './scope-place.ts';
import { type Realm, storable } from './terms.ts';

export type Place = Realm & { readonly scope: string };

export type Wanted = {
  readonly uids: readonly string[];
  readonly names: readonly Pick<Row, 'namespace' | 'name'>[];
};

export type Fragment = ReturnType<TransactionSql>;

/** The scope's own rows, and what scopes that nobody follows any more left in its place: elsewhere is somebody else's. */
export function oursIn(tx: TransactionSql, { cluster, group, resource, scope }: Place): Fragment {
  const { namespace = null, name = null } = placeOfScope(scope);
  return tx`o.cluster = ${cluster} and o.api_group = ${group} and o.resource = ${resource}
    and (o.scope = ${scope} or (
      o.namespace = coalesce(${namespace}::text, o.namespace)
      and o.name = coalesce(${name}::text, o.name)
      and not exists (
        select from watches w
        where w.cluster = o.cluster and w.scope = o.scope and not w.is_retired)))`;
}

/** Two look-ups, each by its own index: one statement with OR would use neither. The second one is for others only. */
export async function findRows(
  tx: TransactionSql,
  place: Place,
  { uids, names }: Wanted,
): Promise<readonly Row[]> {
  const [byUid, byName] = await Promise.all([
    uids.length === 0 ? [] : findByUid(tx, place, uids),
    names.length === 0 ? [] : findByName(tx, place, { uids, names }),
  ]);
  return [...byUid, ...byName];
}

function findByUid(tx: TransactionSql, place: Place, uids: Wanted['uids']) {
  return rowsOf(tx<StoredRow[]>`
    select ${columns(tx, place)} from objects o
    where ${oursIn(tx, place)} and o.uid = any(${arrayText(uids.map(storable))}::text[])`);
}

function findByName(tx: TransactionSql, place: Place, { uids, names }: Wanted) {
  const namespaces = arrayText(names.map(({ namespace }) => storable(namespace)));
  return rowsOf(tx<StoredRow[]>`
    select ${columns(tx, place)} from objects o
    join unnest(${namespaces}::text[], ${arrayText(names.map(({ name }) => storable(name)))}::text[])
      as t (namespace, name) on o.namespace = t.namespace and o.name = t.name
    where ${oursIn(tx, place)} and o.deleted_at is null
      and o.uid <> all(${arrayText(uids.map(storable))}::text[])`);
}

function columns(tx: TransactionSql, place: Place): Fragment {
  return tx`${bodiless(tx, place)}, o.body::text as body`;
}

/** All others: where a page is to be cut, its bodies are read afterwards. */
export function bodiless(tx: TransactionSql, { scope }: Place): Fragment {
  return tx`o.uid, o.namespace, o.name, o.resource_version, o.generation, o.keys, o.epoch,
    o.scope <> ${scope} as is_inherited, o.deleted_at is not null as is_deleted`;
}

async function rowsOf(query: PromiseLike<readonly StoredRow[]>): Promise<readonly Row[]> {
  return (await query).map(rowFrom);
}
