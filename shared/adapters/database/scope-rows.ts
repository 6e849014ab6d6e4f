import type { TransactionSql } from 'postgres';
import type { Row } from '#shared/domain/mirrored.ts';
import { arrayText, rowFrom, type StoredVersion } from './columns.ts';
import { type Bodies, largeBodies } from './large-bodies.ts';
import { placeOfScope } from './scope-place.ts';
import { type Realm, storable } from './terms.ts';

export type Place = Realm & { readonly scope: string };

export type Wanted = {
  readonly uids: readonly string[];
  readonly names: readonly Pick<Row, 'namespace' | 'name'>[];
};

/** Without the large ones. */
type FoundRow = StoredVersion & { readonly body: string | null };

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

export async function findRows(
  tx: TransactionSql,
  place: Place,
  wanted: Wanted,
): Promise<readonly Row[]> {
  if (wanted.uids.length === 0 && wanted.names.length === 0) return [];
  const found = await look(tx, place, wanted);
  const large = found.flatMap(({ uid, body }) => (body === null ? [uid] : []));
  return large.length === 0
    ? found.map((stored) => rowFrom(stored))
    : withLarge(found, await largeBodies(tx, { uids: large, ours: () => oursIn(tx, place) }));
}

function withLarge(found: readonly FoundRow[], bodies: Bodies): readonly Row[] {
  return found.flatMap((stored) => {
    if (stored.body !== null) return [rowFrom(stored)];
    const object = bodies.get(stored.uid);
    return object === undefined ? [] : [rowFrom(stored, object)];
  });
}

/** Each half by its own index: with OR neither would be used. The second one is for others only. */
function look(tx: TransactionSql, place: Place, { uids, names }: Wanted) {
  const wanted = arrayText(uids.map(storable));
  const namespaces = arrayText(names.map(({ namespace }) => storable(namespace)));
  return tx<FoundRow[]>`
    select ${columns(tx, place)} from objects o
    where ${oursIn(tx, place)} and o.uid = any(${wanted}::text[])
    union all
    select ${columns(tx, place)} from objects o
    join unnest(${namespaces}::text[], ${arrayText(names.map(({ name }) => storable(name)))}::text[])
      as t (namespace, name) on o.namespace = t.namespace and o.name = t.name
    where ${oursIn(tx, place)} and o.deleted_at is null and o.uid <> all(${wanted}::text[])`;
}

/** A batch may name 500 objects that were large and are small by now: all their bodies at once would be the heap. */
const largeBytes = 16 * 1024;

function columns(tx: TransactionSql, place: Place): Fragment {
  return tx`${bodiless(tx, place)},
    (select case when octet_length(text) <= ${largeBytes} then text end
      from (select o.body::text as text offset 0) once) as body`;
}

/** All others: where a page is to be cut, its bodies are read afterwards. */
export function bodiless(tx: TransactionSql, { scope }: Place): Fragment {
  return tx`o.uid, o.namespace, o.name, o.resource_version, o.generation, o.keys, o.epoch,
    o.scope <> ${scope} as is_inherited, o.deleted_at is not null as is_deleted`;
}
