import type { KubeObject } from '#shared/domain/kube-object.ts';
import { mirroredForm, type Row, type RowVersion } from '#shared/domain/mirrored.ts';
import { labelsOf, ownersOf, type Realm, storable, termsOf } from './terms.ts';

/** A row of `objects` as a query gives it back under these names. */
export type StoredRow = {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly resource_version: string;
  readonly epoch: number;
  readonly generation: number;
  readonly is_deleted: boolean;
  readonly is_inherited: boolean;
  readonly keys: readonly string[];
  /** As text: of a change that wakes by what is true now, nobody asks what was before. */
  readonly body: string;
};

export type StoredVersion = Omit<StoredRow, 'body'>;

export function versionFrom(stored: StoredVersion): RowVersion {
  return {
    uid: stored.uid,
    namespace: stored.namespace,
    name: stored.name,
    resourceVersion: stored.resource_version,
    epoch: stored.epoch,
    isDeleted: stored.is_deleted,
  };
}

export function rowFrom(
  stored: StoredVersion & { readonly body: string | null },
  object = parsedOnce(stored.body ?? ''),
): Row {
  return {
    get object() {
      return object();
    },
    ...versionFrom(stored),
    ...(stored.is_inherited ? { isInherited: true } : {}),
    generation: stored.generation,
    keys: stored.keys,
  };
}

/** When somebody asks. */
export function parsedOnce(body: string): () => KubeObject {
  let object: KubeObject | undefined;
  return () => {
    object ??= JSON.parse(body) as KubeObject;
    return object;
  };
}

/** As text of a Postgres array, which needs no knowledge of types on either side. */
export function arrayText(items: readonly string[]): string {
  return `{${items.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/**
 * Of JSON texts: they have no control characters, so that JSON escapes in them just what an array does. A replacement by
 * pattern, as above, needs fifty times the room where quotes stand close: a body of 1 MiB ended a forwarder.
 */
function arrayOfJson(values: readonly unknown[]): string {
  return `{${values.map((value) => JSON.stringify(JSON.stringify(value))).join(',')}}`;
}

/** The rows of one write, turned by 90°: one parameter a column, however many rows. */
export function columnsOf(realm: Realm, rows: readonly Row[]) {
  const column = (value: (row: Row) => string) => arrayText(rows.map(value));
  return {
    ...placesOf(rows),
    versions: column(({ resourceVersion }) => storable(resourceVersion)),
    epochs: column(({ epoch }) => String(epoch)),
    generations: column(({ generation }) => String(generation)),
    labels: arrayOfJson(rows.map(({ object }) => labelsOf(object))),
    owners: column(({ object }) => arrayText(ownersOf(object))),
    keys: column(({ keys }) => arrayText(keys.map(storable))),
    terms: column(({ object, keys }) => arrayText(termsOf(realm, object, keys))),
    bodies: arrayOfJson(rows.map(({ object }) => mirroredForm(object))),
    deleted: column(({ isDeleted }) => String(isDeleted)),
  };
}

export function placesOf(rows: readonly Row[]) {
  const column = (value: (row: Row) => string) =>
    arrayText(rows.map((row) => storable(value(row))));
  return {
    uids: column(({ uid }) => uid),
    namespaces: column(({ namespace }) => namespace),
    names: column(({ name }) => name),
  };
}
