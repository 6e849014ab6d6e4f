import { namespaces } from '#shared/domain/kind.ts';
import { idOf } from '../served-kinds.ts';
import type { TooOld } from './collection.ts';
import type { Snapshot, Store } from './store.ts';
import { parsedBody, type Stored, storedFrom } from './stored.ts';

export type Past = {
  /** Forgets what was until now: an older version, and a `continue` of it, is too old, which watches are told in this way. */
  compact(resource?: string, shape?: TooOld): void;
  /** As a new process of the API server: connections break, and of the past it knows nothing. */
  restart(): void;
  snapshot(): Snapshot;
  /** As an etcd that was restored: an older state, older versions, and nobody is told. */
  restore(snapshot: Snapshot): void;
  /** Another cluster behind the same address. */
  becomeAnother(uid: string): void;
};

export function openPast(store: Store): Past {
  const all = () => [...store.collections.values()];
  const restart = () => {
    for (const each of all()) {
      each.compact(store.revision());
      for (const follower of each.followers()) follower.end('cut');
    }
  };
  return {
    compact(resource, shape) {
      for (const each of all()) {
        if (resource !== undefined && idOf(each.kind) !== resource) continue;
        each.compact(store.revision(), shape);
      }
    },
    restart,
    snapshot: store.snapshot,
    restore(snapshot) {
      store.restore(snapshot);
      restart();
    },
    becomeAnother(uid) {
      const snapshot = store.snapshot();
      const id = idOf(namespaces);
      const renamed = (snapshot.objects.get(id) ?? []).map((stored) =>
        stored.name === 'kube-system' ? withUid(stored, uid) : stored,
      );
      store.restore({ ...snapshot, objects: new Map([...snapshot.objects, [id, renamed]]) });
      restart();
    },
  };
}

function withUid(stored: Stored, uid: string): Stored {
  const object = parsedBody(stored);
  const metadata = { ...(object['metadata'] as object), uid };
  return storedFrom({ ...object, metadata }, stored.version);
}
