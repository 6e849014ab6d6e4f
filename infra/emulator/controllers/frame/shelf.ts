import { isLater } from '#shared/domain/watched.ts';
import type { KindOf } from '../shapes/kinds.ts';
import { placeOf, type Thing } from '../shapes/meta.ts';

export type Change<T> = { readonly before: T | undefined; readonly after: T | undefined };

/** All objects of one kind, as the watch and our own writes have told them. */
export type Shelf<T extends Thing> = {
  readonly kind: KindOf<T>;
  find(place: string): T | undefined;
  list(namespace?: string): Iterable<T>;
  /** Of which one of the ownerReferences has this uid; with an empty one, what has no owner at all. */
  ownedBy(uid: string): Iterable<T>;
  onChange(listener: (change: Change<T>) => void): void;
};

export type Filling<T extends Thing> = {
  /** What a list of this version has is all there is. */
  replace(objects: readonly T[], version: string): void;
  /** Nobody serves the kind any more. */
  clear(): void;
  put(object: T): void;
  drop(object: T): void;
  /** The answer to a write of ours, before the watch tells of it: who decides next sees what was done. */
  echo(object: T): void;
  /** A delete was accepted: the object is on its way out, whatever the watch still says. */
  markLeaving(place: string, uid: string, now: string): void;
  /** The watch is at least here. */
  reach(version: string): void;
};

export function openShelf<T extends Thing>(kind: KindOf<T>): Shelf<T> & Filling<T> {
  const rows = new Map<string, Map<string, T>>();
  const owned = new Map<string, Map<string, T>>();
  const listeners: ((change: Change<T>) => void)[] = [];
  let latest = '0';

  const find = (place: string) => rows.get(namespaceIn(place))?.get(place);
  const tell = (before: T | undefined, after: T | undefined) => {
    for (const listener of listeners) listener({ before, after });
  };
  const set = (place: string, object: T | undefined) => {
    const before = find(place);
    if (before !== undefined) forget(owned, ownersOf(before), place);
    if (object === undefined) forget(rows, [namespaceIn(place)], place);
    else {
      keep(rows, [namespaceIn(place)], place, object);
      keep(owned, ownersOf(object), place, object);
    }
    tell(before, object);
  };
  const put = (object: T) => {
    const place = placeOf(object);
    if (isNews(object, find(place))) set(place, object);
  };
  const reach = (version: string) => {
    if (isLater(version, latest)) latest = version;
  };

  return {
    kind,
    find,
    list: (namespace) =>
      namespace === undefined ? all(rows) : (rows.get(namespace)?.values() ?? []),
    ownedBy: (uid) => owned.get(uid)?.values() ?? [],
    onChange: (listener) => {
      listeners.push(listener);
    },
    put(object) {
      reach(object.metadata.resourceVersion);
      put(object);
    },
    drop(object) {
      reach(object.metadata.resourceVersion);
      const place = placeOf(object);
      if (find(place)?.metadata.uid === object.metadata.uid) set(place, undefined);
    },
    replace(objects, version) {
      latest = version;
      const listed = new Set(objects.map(placeOf));
      for (const known of [...all(rows)]) {
        const isNewer = isLater(known.metadata.resourceVersion, version);
        if (!listed.has(placeOf(known)) && !isNewer) set(placeOf(known), undefined);
      }
      for (const object of objects) put(object);
    },
    clear() {
      for (const known of [...all(rows)]) set(placeOf(known), undefined);
    },
    echo(object) {
      // What the watch has passed already it has told, the object's end included.
      if (isLater(object.metadata.resourceVersion, latest)) put(object);
    },
    markLeaving(place, uid, now) {
      const known = find(place);
      if (known?.metadata.uid !== uid || known.metadata.deletionTimestamp !== undefined) return;
      set(place, { ...known, metadata: { ...known.metadata, deletionTimestamp: now } });
    },
    reach,
  };
}

function isNews(object: Thing, known: Thing | undefined): boolean {
  if (known === undefined || known.metadata.uid !== object.metadata.uid) return true;
  return isLater(object.metadata.resourceVersion, known.metadata.resourceVersion);
}

function namespaceIn(place: string): string {
  return place.slice(0, place.indexOf('/'));
}

function ownersOf({ metadata }: Thing): readonly string[] {
  const uids = metadata.ownerReferences?.map(({ uid }) => uid) ?? [];
  return uids.length === 0 ? [''] : uids;
}

type Index<T> = Map<string, Map<string, T>>;

function keep<T>(index: Index<T>, keys: readonly string[], ...[place, object]: [string, T]): void {
  for (const key of keys) {
    const row = index.get(key) ?? new Map<string, T>();
    row.set(place, object);
    index.set(key, row);
  }
}

function forget<T>(index: Index<T>, keys: readonly string[], place: string): void {
  for (const key of keys) {
    const row = index.get(key);
    row?.delete(place);
    if (row?.size === 0) index.delete(key);
  }
}

function* all<T>(index: Index<T>): Iterable<T> {
  for (const row of index.values()) yield* row.values();
}
