import { type JsonObject, sameJson } from '#shared/domain/json.ts';
import { metadataOf } from './stated.ts';

/** The garbage collector writes owners and finalizers of what it has no share in. */
export function isLeaving(object: JsonObject, before: JsonObject | undefined): boolean {
  return before !== undefined && sameJson(lasting(object), lasting(before));
}

function lasting(object: JsonObject): JsonObject {
  const { ownerReferences, finalizers, managedFields, ...metadata } = metadataOf(object);
  return { ...object, metadata };
}
