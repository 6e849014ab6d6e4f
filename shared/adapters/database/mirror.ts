import type { Sql } from 'postgres';
import { arrayText } from '#shared/domain/array-text.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { indexRecord, type NotedIndexes, versionByIndex } from '#shared/domain/named-index.ts';
import { selectorText } from '#shared/domain/selector.ts';
import { type Asked, scopesOfAll } from '#shared/domain/watched.ts';
import type { Mirror, MirrorOptions } from '#shared/ports.ts';
import { cutAt, isBeforeCut } from './cut.ts';
import { type Condition, conditionOf, isOf } from './selecting.ts';
import { type Realm, storable } from './terms.ts';

const usualPageSize = 500;
/** Objects of a mebibyte and more are allowed: five hundred of them are more than a worker has. */
const maxPageBytes = 4 * 1024 * 1024;

type Read = { readonly version: string };
type Page = Read & {
  readonly indexes?: NotedIndexes | null;
  readonly uid: string | null;
  readonly body: KubeObject;
  /** How many there were before the page was cut. */
  readonly count: number;
};

/**
 * Each statement reads the version together with what it is true for. A list that is longer than a page goes on with
 * what is there then: never older than its version, but no transaction is held open while somebody goes through it.
 */
export function mirrorOn(sql: Sql, { cluster }: { readonly cluster: string }): Mirror {
  const realmOf = ({ group, resource }: Kind): Realm => ({ cluster, group, resource });
  return {
    async find(kind, { namespace = '', name }) {
      const realm = realmOf(kind);
      const [read] = await sql<(Read & { readonly body: KubeObject | null })[]>`
        with found as (
          select o.scope, o.body from objects o
          where ${isOf(sql, realm)} and o.deleted_at is null
            and o.namespace = ${storable(namespace)} and o.name = ${storable(name)}),
        ${versionOf(sql, realm, { asked: { namespace, name }, found: foundScope(sql) })}
        select at.version, found.body from at left join found on true`;
      return { object: read?.body ?? undefined, resourceVersion: read?.version ?? '' };
    },
    async findByUid(kind, uid) {
      const realm = realmOf(kind);
      const [read] = await sql<(Read & { body: KubeObject | null; is_deleted: boolean | null })[]>`
        with found as (
          select o.scope, o.body, o.deleted_at is not null as is_deleted from objects o
          where ${isOf(sql, realm)} and o.uid = ${storable(uid)}),
        ${versionOf(sql, realm, { found: foundScope(sql) })}
        select at.version, found.body, found.is_deleted from at left join found on true`;
      return {
        object: read?.body ?? undefined,
        resourceVersion: read?.version ?? '',
        isDeleted: read?.is_deleted ?? false,
      };
    },
    async list(kind, options = {}) {
      const realm = realmOf(kind);
      const { namespace, labels = {}, index, pageSize: max = usualPageSize } = options;
      const conditions = conditionOf(sql, realm, options);
      const asked = { namespace, labels: selectorText(labels) };
      const read = (after: string) => {
        const versioned = { asked, isByIndex: index !== undefined };
        return readPage(sql, realm, { ...versioned, conditions, after, max });
      };
      const first = await read('');
      return {
        resourceVersion: toldBy(first[0], kind, index),
        objects: paged(first, { read, max }),
      };
    },
  };
}

type Versioned = {
  readonly asked?: Asked;
  /** The scope of the row that was found. */
  readonly found?: Condition;
  /** Says as well which indexes those scopes have noted. */
  readonly isByIndex?: boolean;
};

/**
 * Of the scopes that have all that is asked for, and of the one that a found row is of: elsewhere one may never be
 * listed. Empty where there is none, and while one has no whole list, or one of a history that is over. A place is
 * followed by one (`claimOn`); of two, nothing is older than the least.
 */
function versionOf(sql: Sql, realm: Realm, versioned: Versioned): Condition {
  const { asked = {}, found, isByIndex = false } = versioned;
  const whole = sql`${arrayText(scopesOfAll(realm, asked).map(storable))}::text[]`;
  return sql`at as (
    select case when bool_and(w.position = 'watching' and w.epoch = coalesce(c.epoch, w.epoch))
      then (array_agg(w.resource_version order by length(w.resource_version), w.resource_version))[1]
      else '' end as version${isByIndex ? sql`, ${indexesOf(sql)} as indexes` : sql``}
    from watches w left join clusters c on c.cluster = w.cluster
    where w.cluster = ${realm.cluster} and not w.is_retired
      and w.scope = any(${found === undefined ? whole : sql`${whole} || ${found}`}))`;
}

function indexesOf(sql: Sql): Condition {
  return sql`json_agg((
    select b.fingerprint from backfills b
    where b.cluster = w.cluster and b.scope = w.scope and b.function = ${indexRecord} and b.is_done))`;
}

function foundScope(sql: Sql): Condition {
  return sql`(select scope from found)`;
}

type Reading = Versioned & {
  readonly conditions: Condition;
  readonly after: string;
  readonly max: number;
};

function readPage(sql: Sql, realm: Realm, { conditions, after, max, ...versioned }: Reading) {
  return sql<Page[]>`
    with ${versionOf(sql, realm, versioned)},
    page as materialized (
      select o.uid, o.body from objects o
      where ${isOf(sql, realm)} and o.deleted_at is null and o.uid > ${after} ${conditions}
      order by o.uid limit ${max}),
    ${cutAt(sql, maxPageBytes)}
    select at.*, page.uid, page.body,
      (select count(*)::int from page) as count
    from at left join page on ${isBeforeCut(sql)}
    order by page.uid`;
}

function toldBy(
  first: Page | undefined,
  { resource }: Kind,
  index: MirrorOptions['index'],
): string {
  const { version = '', indexes } = first ?? {};
  if (index === undefined) return version;
  return versionByIndex(version, { resource, name: index.name, noted: indexes ?? [] });
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
    if (isLast(page, max)) return;
  }
}

function isLast(page: readonly Page[], max: number): boolean {
  const [first] = page;
  return first === undefined || (first.count < max && first.count <= page.length);
}
