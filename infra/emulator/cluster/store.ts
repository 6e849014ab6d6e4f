import { randomUUID } from 'node:crypto';
import type { JsonObject } from '#shared/domain/json.ts';
import { type Collection, collection } from './collection.ts';
import type { Change } from './history.ts';
import { openLedger } from './ledger.ts';
import { builtInKinds, idOf, type ServedKind } from './served-kinds.ts';
import { parsedBody, reversioned, type Stored, storedFrom } from './stored.ts';

export type Store = ReturnType<typeof openStore>;

/** One revision counter over all kinds, as etcd has it. */
export function openStore({ historySize }: { readonly historySize: number }) {
  const ledger = openLedger();
  const collections = new Map<string, Collection>();
  const listeners: ((of: Collection, change: Change) => void)[] = [];
  let revision = 1;
  let epoch = 1;

  const commit = (of: Collection, change: Change) => {
    ledger.write(of.kind, change, epoch);
    of.apply(change);
    for (const listener of listeners) listener(of, change);
    return change.now;
  };
  const serve = (kind: ServedKind) => {
    const made = collection({ kind, version: revision, historySize });
    collections.set(idOf(kind), made);
    return made;
  };
  builtInKinds.forEach(serve);

  return {
    ledger,
    revision: () => revision,
    collections,
    serve,
    onCommit: (listener: (of: Collection, change: Change) => void) => void listeners.push(listener),
    drop: (kind: ServedKind) => void collections.delete(idOf(kind)),
    create(of: Collection, object: JsonObject): Stored {
      const now = storedFrom(object, ++revision);
      return commit(of, { type: 'ADDED', version: revision, now, before: undefined });
    },
    /** Nothing new is no change, and no version. */
    update(of: Collection, before: Stored, object: JsonObject): Stored {
      if (storedFrom(object, before.version).body === before.body) return before;
      const now = storedFrom(object, ++revision);
      return commit(of, { type: 'MODIFIED', version: revision, now, before });
    },
    delete(of: Collection, before: Stored): Stored {
      const now = reversioned(before, ++revision);
      return commit(of, { type: 'DELETED', version: revision, now, before });
    },
    snapshot: () => snapshotOf(revision, collections),
    restore(snapshot: Snapshot): void {
      revision = snapshot.revision;
      epoch += 1;
      for (const [id, each] of collections) each.reset(snapshot.objects.get(id) ?? [], revision);
    },
  };
}

export type Snapshot = {
  readonly revision: number;
  readonly objects: ReadonlyMap<string, readonly Stored[]>;
};

function snapshotOf(revision: number, collections: ReadonlyMap<string, Collection>): Snapshot {
  const objects = [...collections].map(([id, each]) => [id, each.at(revision) ?? []] as const);
  return { revision, objects: new Map(objects) };
}

/** What the API server gives to an object that is new. */
export function born(object: JsonObject, namespace: string | undefined): JsonObject {
  const metadata = {
    ...(object['metadata'] as JsonObject | undefined),
    uid: randomUUID(),
    creationTimestamp: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  return { ...object, metadata: namespace === undefined ? metadata : { ...metadata, namespace } };
}

/** What nobody changes afterwards. */
export function kept(object: JsonObject, before: Stored): JsonObject {
  const { uid, creationTimestamp, name, namespace, deletionTimestamp } = parsedBody(before)[
    'metadata'
  ] as JsonObject;
  const fixed = { uid, creationTimestamp, name, namespace, deletionTimestamp };
  const stated = Object.entries(fixed).filter(([, value]) => value !== undefined);
  const metadata = { ...(object['metadata'] as JsonObject), ...Object.fromEntries(stated) };
  return { ...object, metadata: metadata as JsonObject };
}
