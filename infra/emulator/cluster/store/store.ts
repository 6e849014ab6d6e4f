import { type JsonObject, sameJson } from '#shared/domain/json.ts';
import { openLedger } from '../ledger.ts';
import { builtInKinds, idOf, type ServedKind } from '../served-kinds.ts';
import { type Collection, collection } from './collection.ts';
import type { Change } from './history.ts';
import { parsedBody, reversioned, type Stored, storedFrom } from './stored.ts';

export type Store = ReturnType<typeof openStore>;

export type StoreOptions = {
  /** Changes of a kind that watches can go back over. */
  readonly historySize: number;
  readonly kinds?: readonly ServedKind[];
  /** What happened is kept for whoever is held to it. */
  readonly hasLedger?: boolean;
};

type OnCommit = (of: Collection, change: Change) => void;

/** One revision counter over all kinds, as etcd has it. */
export function openStore(options: StoreOptions) {
  const { historySize, kinds = builtInKinds, hasLedger = true } = options;
  const ledger = openLedger();
  const collections = new Map<string, Collection>();
  const withheld = new Map<string, Collection>();
  const listeners: OnCommit[] = [];
  let revision = 1;
  let epoch = 1;

  const commit = (asked: Collection, change: Change) => {
    const of = asked.storage ?? asked;
    if (hasLedger) ledger.write(of.kind, change, epoch);
    of.apply(change);
    for (const listener of listeners) listener(of, change);
    return change.now;
  };
  const begun = (kind: ServedKind) => collection({ kind, version: revision, historySize });
  const serve = (kind: ServedKind) => {
    const kept = withheld.get(idOf(kind)) ?? begun(kind);
    kept.kind = kind;
    withheld.delete(idOf(kind));
    collections.set(idOf(kind), kept);
    return kept;
  };
  /** As it will lie here, where nothing else comes before. */
  const made = (object: JsonObject): Stored => storedFrom(object, revision + 1);
  /** Nothing new is no change, and no version. */
  const changed = (before: Stored, object: JsonObject): Stored => {
    const next = storedFrom(object, before.version);
    return isSame(next, before) ? before : reversioned(next, revision + 1);
  };
  const put = (of: Collection, now: Stored, before: Stored | undefined): Stored => {
    if (now === before) return now;
    revision = now.version;
    const type = before === undefined ? 'ADDED' : 'MODIFIED';
    return commit(of, { type, version: revision, now, before });
  };
  /** All but its version is made now, for whoever measures what comes after the write. */
  const prepareUpdate = (of: Collection, before: Stored, object: JsonObject) => {
    const next = changed(before, object);
    const latest = () =>
      next === before || next.version === revision + 1 ? next : reversioned(next, revision + 1);
    return (): Stored => put(of, latest(), before);
  };
  const all = () => new Map([...collections, ...withheld]);
  kinds.forEach(serve);

  return {
    ledger,
    revision: () => revision,
    /** What is served. */
    collections,
    serve,
    /** Served to nobody, and kept with its objects. */
    withhold(kind: ServedKind): void {
      const id = idOf(kind);
      withheld.set(id, collections.get(id) ?? withheld.get(id) ?? begun(kind));
      collections.delete(id);
    },
    /** Whether it is served or not. */
    find: (id: string) => collections.get(id) ?? withheld.get(id),
    onCommit: (listener: OnCommit) => void listeners.push(listener),
    drop: (kind: ServedKind) =>
      void (collections.delete(idOf(kind)) || withheld.delete(idOf(kind))),
    made,
    changed,
    put,
    create: (of: Collection, object: JsonObject): Stored => put(of, made(object), undefined),
    update: (of: Collection, before: Stored, object: JsonObject): Stored =>
      prepareUpdate(of, before, object)(),
    prepareUpdate,
    delete(of: Collection, before: Stored): Stored {
      const now = reversioned(before, ++revision);
      return commit(of, { type: 'DELETED', version: revision, now, before });
    },
    snapshot: () => snapshotOf(revision, all()),
    restore(snapshot: Snapshot): void {
      revision = snapshot.revision;
      epoch += 1;
      for (const [id, each] of all()) {
        if (each.storage === undefined) each.reset(snapshot.objects.get(id) ?? [], revision);
      }
    },
  };
}

/** Whoever sends keys in another order changes nothing. */
function isSame(one: Stored, other: Stored): boolean {
  if (one.body === other.body) return true;
  if (one.body.length !== other.body.length || !mayBeMoved(one.body, other.body)) return false;
  return sameJson(parsedBody(one), parsedBody(other));
}

/** Two keys that changed places stand on both sides of a comma. */
function mayBeMoved(one: string, other: string): boolean {
  let [from, to] = [0, one.length - 1];
  while (one[from] === other[from]) from += 1;
  while (one[to] === other[to]) to -= 1;
  return one.slice(from, to + 1).includes(',');
}

export type Snapshot = {
  readonly revision: number;
  readonly objects: ReadonlyMap<string, readonly Stored[]>;
};

function snapshotOf(revision: number, collections: ReadonlyMap<string, Collection>): Snapshot {
  const objects = [...collections]
    .filter(([, { storage }]) => storage === undefined)
    .map(([id, each]) => [id, each.at(revision) ?? []] as const);
  return { revision, objects: new Map(objects) };
}
