import type { JsonObject } from '#shared/domain/json.ts';
import type { Reading } from '../parts.ts';
import { idOf, storedVersionOf } from '../served-kinds.ts';
import type { Collection } from '../store/collection.ts';
import type { Store } from '../store/store.ts';
import { keyOf, objectOf, type Stored } from '../store/stored.ts';

/** Objects as trees; each is read once a version, however often it is asked for. */
export function readingOf(store: Store): Reading {
  return {
    find(kind, { namespace, name }) {
      const of = store.collections.get(kind);
      const stored = of?.find(keyOf(of.kind.namespaced ? namespace : undefined, name));
      return of && stored && treeOf(of, stored);
    },
    list(kind, namespace) {
      const of = store.collections.get(kind);
      const all = of?.at(store.revision()) ?? [];
      return all
        .filter((stored) => namespace === undefined || stored.namespace === namespace)
        .map((stored) => treeOf(of as Collection, stored));
    },
    onChange(kind, listener) {
      store.onCommit((of) => {
        if (idOf(of.kind) === kind) listener();
      });
    },
  };
}

const trees = new WeakMap<Stored, JsonObject>();

/** Whoever reads may not change it. */
function treeOf({ kind }: Collection, stored: Stored): JsonObject {
  const known = trees.get(stored);
  if (known !== undefined) return known;
  const tree = objectOf(stored, kind, storedVersionOf(kind));
  trees.set(stored, tree);
  return tree;
}
