import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { Collection } from './collection.ts';
import { patched } from './patching.ts';
import { conflict, isRefusal, notFound, type Refusal, refusal } from './refusal.ts';
import { born, kept, type Store } from './store.ts';
import { keyOf, parsedBody, type Stored } from './stored.ts';

export type At = {
  readonly of: Collection;
  readonly namespace: string | undefined;
  readonly name: string;
};

/** Writes as the API server does them, without validation, defaults or admission. */
export function changing(store: Store) {
  const found = (at: At): Stored | Refusal =>
    at.of.find(keyOf(at.namespace, at.name)) ?? notFound({ ...at.of.kind, name: at.name });

  const create = (at: At, object: JsonObject): Stored | Refusal => {
    if (!isRefusal(found(at))) return conflict('AlreadyExists', { ...at.of.kind, name: at.name });
    return store.create(at.of, born(object, at.namespace));
  };
  const update = (at: At, object: JsonObject): Stored | Refusal => {
    const before = found(at);
    if (isRefusal(before)) return before;
    const stated = metadataOf(object)['resourceVersion'];
    if (stated !== undefined && stated !== '' && stated !== String(before.version)) {
      return conflict('Conflict', { ...at.of.kind, name: at.name });
    }
    const next = kept(object, before);
    // The last finalizer is gone: this is not written any more.
    return isLeaving(next) ? store.delete(at.of, before) : store.update(at.of, before, next);
  };
  return {
    find: found,
    create,
    update,
    patch(at: At, patch: Json, contentType: string): Stored | Refusal {
      const before = found(at);
      if (isRefusal(before)) return before;
      const next = patched(parsedBody(before), patch, contentType);
      return isRefusal(next) ? next : update(at, next);
    },
    delete(at: At, preconditions: JsonObject = {}): Stored | Refusal {
      const before = found(at);
      if (isRefusal(before)) return before;
      if (!meets(before, preconditions)) {
        return conflict('Conflict', { ...at.of.kind, name: at.name });
      }
      return hasFinalizers(parsedBody(before))
        ? store.update(at.of, before, marked(before))
        : store.delete(at.of, before);
    },
  };
}

function meets(before: Stored, { uid, resourceVersion }: JsonObject): boolean {
  return (
    (uid === undefined || uid === before.uid) &&
    (resourceVersion === undefined || resourceVersion === String(before.version))
  );
}

function metadataOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? metadata : {};
}

function hasFinalizers(object: JsonObject): boolean {
  const { finalizers } = metadataOf(object);
  return Array.isArray(finalizers) && finalizers.length > 0;
}

function isLeaving(object: JsonObject): boolean {
  return metadataOf(object)['deletionTimestamp'] !== undefined && !hasFinalizers(object);
}

function marked(before: Stored): JsonObject {
  const object = parsedBody(before);
  const deletionTimestamp = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  return { ...object, metadata: { deletionTimestamp, ...metadataOf(object) } };
}

/** Of a body without a name, or that is no object, nothing can be made. */
export function nameIn(object: JsonObject): string | Refusal {
  const { name } = metadataOf(object);
  return typeof name === 'string' && name !== ''
    ? name
    : refusal(422, { reason: 'Invalid', message: 'metadata.name: Required value' });
}
