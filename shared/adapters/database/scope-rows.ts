import type { TransactionSql } from 'postgres';
import { arrayText } from '#shared/domain/array-text.ts';
import { type Row, rowLeftUnread } from '#shared/domain/mirrored.ts';
import { rowFrom, type StoredVersion, stateFrom } from './columns.ts';
import { largeBodies } from './large-bodies.ts';
import { placeOfScope } from './scope-place.ts';
import { type Realm, storable } from './terms.ts';

export type Place = Realm & { readonly scope: string };

export type Wanted = {
  readonly uids: readonly string[];
  readonly names: readonly Pick<Row, 'namespace' | 'name'>[];
  readonly withoutObjects?: boolean;
};

/** What is wanted of one scope. */
export type Ask = { readonly place: Place; readonly wanted: Wanted };

/** Without the large bodies, and those that nobody asks for; by whose ask it was found. */
type FoundRow = StoredVersion & { readonly body: string | null; readonly ask: number };

export type Fragment = ReturnType<TransactionSql>;

/** The scope's own rows, and what scopes that nobody follows any more left in its place: elsewhere is somebody else's. */
export function oursIn(tx: TransactionSql, { cluster, group, resource, scope }: Place): Fragment {
  const { namespace = null, name = null } = placeOfScope(scope);
  const place: Within = {
    scope: tx`${scope}`,
    namespace: tx`${namespace}::text`,
    name: tx`${name}::text`,
  };
  return tx`o.cluster = ${cluster} and o.api_group = ${group} and o.resource = ${resource}
    and ${isWithin(tx, place)}`;
}

type Within = { readonly scope: Fragment; readonly namespace: Fragment; readonly name: Fragment };

function isWithin(tx: TransactionSql, { scope, namespace, name }: Within): Fragment {
  return tx`(o.scope = ${scope} or (
    o.namespace = coalesce(${namespace}, o.namespace)
    and o.name = coalesce(${name}, o.name)
    and not exists (
      select from watches w
      where w.cluster = o.cluster and w.scope = o.scope and not w.is_retired)))`;
}

/** In their order. A statement for each scope would cost more than all that it finds. */
export async function findRows(
  tx: TransactionSql,
  cluster: string,
  asks: readonly Ask[],
): Promise<readonly (readonly Row[])[]> {
  const isIdle = asks.every(({ wanted: { uids, names } }) => uids.length + names.length === 0);
  if (isIdle) return asks.map(() => []);
  const found = Map.groupBy(await look(tx, cluster, asks), ({ ask }) => ask);
  return Promise.all(
    asks.map(async ({ place, wanted }, at) => {
      const rows = found.get(at + 1) ?? [];
      if (wanted.withoutObjects) return rows.map((stored) => rowLeftUnread(stateFrom(stored)));
      return withLarge(tx, place, rows);
    }),
  );
}

async function withLarge(
  tx: TransactionSql,
  place: Place,
  found: readonly FoundRow[],
): Promise<readonly Row[]> {
  const large = found.flatMap(({ uid, body }) => (body === null ? [uid] : []));
  if (large.length === 0) return found.map((stored) => rowFrom(stored));
  const bodies = await largeBodies(tx, { uids: large, ours: () => oursIn(tx, place) });
  return found.flatMap((stored) => {
    if (stored.body !== null) return [rowFrom(stored)];
    const object = bodies.get(stored.uid);
    return object === undefined ? [] : [rowFrom(stored, object)];
  });
}

/** Each half by its own index, whole: with OR, or a join for the kinds, neither would be used. The second one is for others only. */
function look(tx: TransactionSql, cluster: string, asks: readonly Ask[]) {
  const { places, within, withObjects, uids, names } = columnsOfAsks(asks);
  const its = (column: string): Fragment => tx`(${column}::text[])[ask]`;
  const [scope, namespace, name] = [its(places.scopes), its(within.namespaces), its(within.names)];
  const rows = tx`${bodiless(tx, scope)}, ${bodyIf(tx, tx`(${withObjects}::bool[])[ask]`)}, ask`;
  const row = tx`objects o on o.cluster = ${cluster} and o.api_group = ${its(places.groups)} and o.resource = ${its(places.resources)}`;
  const isOurs = isWithin(tx, { scope, namespace, name });
  return tx<FoundRow[]>`
    with uids as materialized (
      select * from unnest(${uids.uids}::text[], ${uids.asks}::int[]) as u (uid, ask)
    ), found as materialized (
      select ${rows} from uids join ${row} and o.uid = uids.uid
      where ${isOurs}
    )
    select * from found
    union all
    select ${rows} from unnest(${names.namespaces}::text[], ${names.names}::text[],
      ${names.asks}::int[]) as n (namespace, name, ask)
    join ${row} and o.namespace = n.namespace and o.name = n.name and o.deleted_at is null
    where (ask, n.namespace, n.name) not in (
        select ask, namespace, name from found where not is_deleted)
      and ${isOurs} and (ask, o.uid) not in (select ask, uid from uids)`;
}

/** Turned by 90°: one parameter a column, however many ask. */
function columnsOfAsks(asks: readonly Ask[]) {
  const uids = asks.flatMap(({ wanted }, at) =>
    [...new Set(wanted.uids)].map((uid) => ({ uid, ask: at + 1 })),
  );
  const names = asks.flatMap(({ wanted }, at) =>
    wanted.names.map(({ namespace, name }) => ({ namespace, name, ask: at + 1 })),
  );
  const within = asks.map(({ place: { scope } }) => placeOfScope(scope));
  return {
    places: columnsOfPlaces(asks.map(({ place }) => place)),
    within: {
      namespaces: column(within, ({ namespace = null }) => namespace),
      names: column(within, ({ name = null }) => name),
    },
    withObjects: column(asks, ({ wanted }) => String(wanted.withoutObjects !== true)),
    uids: {
      uids: column(uids, ({ uid }) => storable(uid)),
      asks: column(uids, ({ ask }) => String(ask)),
    },
    names: {
      namespaces: column(names, ({ namespace }) => storable(namespace)),
      names: column(names, ({ name }) => storable(name)),
      asks: column(names, ({ ask }) => String(ask)),
    },
  };
}

export function columnsOfPlaces(places: readonly Place[]) {
  return {
    groups: column(places, ({ group }) => group),
    resources: column(places, ({ resource }) => resource),
    scopes: column(places, ({ scope }) => scope),
  };
}

function column<T>(items: readonly T[], value: (item: T) => string | null): string {
  return arrayText(items.map(value));
}

/** A batch may name 500 objects that were large and are small by now: all their bodies at once would be the heap. */
const largeBytes = 16 * 1024;

function bodyIf(tx: TransactionSql, isWanted: Fragment): Fragment {
  return tx`case when ${isWanted} then (
    select case when octet_length(text) <= ${largeBytes} then text end
    from (select o.body::text as text offset 0) once) end as body`;
}

/** All others: where a page is to be cut, its bodies are read afterwards. */
export function bodiless(tx: TransactionSql, scope: Fragment): Fragment {
  return tx`o.uid, o.namespace, o.name, o.resource_version, o.generation, o.keys, o.epoch,
    o.scope <> ${scope} as is_inherited, o.deleted_at is not null as is_deleted`;
}
