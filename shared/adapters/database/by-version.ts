import type { Sql } from 'postgres';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { isOf } from './selecting.ts';
import { storable } from './terms.ts';

export type Place = { readonly namespace?: string; readonly name: string };

/** `undefined` within: it is not there. */
export type Seen<T> = { readonly value: T | undefined };

type Making<T> = {
  readonly sql: () => Promise<Sql>;
  readonly cluster: string;
  readonly kind: Kind;
  make(object: KubeObject): T;
};

type Row = { readonly version: string; readonly body: KubeObject | null };
type Known<T> = { readonly version: string; readonly seen: Seen<T> };

const maxEntries = 16;

/**
 * What is made of an object as its row has it now: each read asks for the version, and for the body only where it is not the
 * one that is known. In the next history of a server a version may come again, with another state, and in
 * another scope a row may have another shape.
 */
export function byVersion<T>({ sql, cluster, kind, make }: Making<T>) {
  const known = new Map<string, Known<T>>();
  const keep = (key: string, kept: Known<T>): Seen<T> => {
    known.set(key, kept);
    const [oldest] = known.size > maxEntries ? known.keys() : [];
    if (oldest !== undefined) known.delete(oldest);
    return kept.seen;
  };
  return async ({ namespace = '', name }: Place): Promise<Seen<T>> => {
    const key = `${namespace}/${name}`;
    const last = known.get(key);
    const open = await sql();
    const [row] = await open<Row[]>`
      with found as (
        select o.scope || '/' || o.uid || '/' || o.epoch || '/' || o.resource_version as version, o.body
        from objects o
        where ${isOf(open, { cluster, ...kind })} and o.deleted_at is null
          and o.namespace = ${storable(namespace)} and o.name = ${storable(name)})
      select version, case when version = ${last?.version ?? ''} then null else body end as body
      from found`;
    if (row === undefined) return { value: undefined };
    if (row.body === null && last !== undefined) return last.seen;
    const value = row.body === null ? undefined : make(row.body);
    return keep(key, { version: row.version, seen: { value } });
  };
}
