import type { JsonObject } from '#shared/domain/json.ts';
import { merged } from '../../testing/cluster/merge.ts';
import {
  born,
  finalizersOf,
  isMarked,
  metadataOf,
  ofSameLife,
  timeText,
  withMetadata,
} from '../pipeline/metadata.ts';
import { conflict, isRefusal, notFound, type Refusal } from '../refusal.ts';
import type { Collection } from './collection.ts';
import type { Store } from './store.ts';
import { keyOf, parsedBody, type Stored } from './stored.ts';

export type At = {
  readonly of: Collection;
  readonly namespace: string | undefined;
  readonly name: string;
};

/** Writes without HTTP, and without all that stands between a request and the store. */
export function changing(store: Store) {
  const found = (at: At): Stored | Refusal =>
    at.of.find(keyOf(at.namespace, at.name)) ?? notFound({ ...at.of.kind, name: at.name });

  const outdated = (at: At) => conflict('Conflict', { ...at.of.kind, name: at.name });

  /** All of its work but the writing, which is for the caller. */
  const prepare = (at: At, make: (old: JsonObject) => JsonObject): (() => Stored | Refusal) => {
    const before = found(at);
    if (isRefusal(before)) return () => before;
    const old = parsedBody(before);
    const object = make(old);
    const stated = metadataOf(object)['resourceVersion'];
    if (stated !== undefined && stated !== '' && stated !== String(before.version)) {
      return () => outdated(at);
    }
    const next = ofSameLife(object, old);
    // The last finalizer is gone: this is not written any more.
    const isLeaving = isMarked(next) && finalizersOf(next).length === 0;
    const write = isLeaving
      ? () => store.delete(at.of, before)
      : store.prepareUpdate(at.of, before, next);
    return () => (found(at) === before ? write() : outdated(at));
  };
  const update = (at: At, make: (old: JsonObject) => JsonObject) => prepare(at, make)();
  const patched = (patch: JsonObject) => (old: JsonObject) =>
    merged(old, patch, 'as-a-whole') as JsonObject;
  return {
    find: found,
    create(at: At, object: JsonObject): Stored | Refusal {
      if (!isRefusal(found(at))) return conflict('AlreadyExists', { ...at.of.kind, name: at.name });
      return store.create(at.of, born(object, at.namespace, new Date()));
    },
    update: (at: At, object: JsonObject): Stored | Refusal => update(at, () => object),
    /** A merge patch. */
    patch: (at: At, patch: JsonObject): Stored | Refusal => update(at, patched(patch)),
    preparePatch: (at: At, patch: JsonObject) => prepare(at, patched(patch)),
    delete(at: At): Stored | Refusal {
      const before = found(at);
      if (isRefusal(before)) return before;
      return finalizersOf(parsedBody(before)).length > 0
        ? store.update(at.of, before, marked(before))
        : store.delete(at.of, before);
    },
  };
}

function marked(before: Stored): JsonObject {
  const object = parsedBody(before);
  const deletionTimestamp = metadataOf(object)['deletionTimestamp'] ?? timeText(new Date());
  return withMetadata(object, { deletionTimestamp, deletionGracePeriodSeconds: 0 });
}
