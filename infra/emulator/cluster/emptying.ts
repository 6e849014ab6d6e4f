import { cleanup } from './pipeline/deleting.ts';
import { finalizersOf, isMarked, timeText, withMetadata } from './pipeline/metadata.ts';
import { customKinds, idOf } from './served-kinds.ts';
import type { Collection } from './store/collection.ts';
import type { Store } from './store/store.ts';
import { parsedBody, type Stored } from './store/stored.ts';

/** All objects of a definition that is to go; when none is left, it goes itself. */
export function openEmptying(store: Store, now: () => Date) {
  // Each object that goes wakes this again.
  const underWay = new Set<string>();
  const empty = (name: string) => {
    if (underWay.has(name)) return;
    underWay.add(name);
    const of = store.find(name);
    for (const stored of objectsOf(store, of)) if (of !== undefined) release(of, stored);
    if (objectsOf(store, of).length === 0) letGo(store, name);
    underWay.delete(name);
  };
  const release = (of: Collection, stored: Stored) => {
    const object = parsedBody(stored);
    if (finalizersOf(object).length === 0) store.delete(of, stored);
    else if (!isMarked(object)) {
      const begun = { deletionTimestamp: timeText(now()), deletionGracePeriodSeconds: 0 };
      store.update(of, stored, withMetadata(object, begun));
    }
  };
  return { empty };
}

function objectsOf(store: Store, of: Collection | undefined): readonly Stored[] {
  return of?.at(store.revision()) ?? [];
}

/** Others may still have something to do with it. */
function letGo(store: Store, name: string): void {
  const of = store.collections.get(idOf(customKinds));
  const definition = of?.find(`/${name}`);
  if (of === undefined || definition === undefined) return;
  const object = parsedBody(definition);
  const finalizers = finalizersOf(object).filter((each) => each !== cleanup);
  if (finalizers.length === 0) store.delete(of, definition);
  else store.update(of, definition, withMetadata(object, { finalizers }));
}
