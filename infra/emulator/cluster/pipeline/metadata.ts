import { randomUUID } from 'node:crypto';
import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';

/** What an object is called, and what the server alone says of it. */
export function metadataOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? metadata : {};
}

export function withMetadata(object: JsonObject, more: Readonly<Record<string, Json | undefined>>) {
  const all = { ...metadataOf(object), ...more };
  const stated = Object.entries(all).filter(([, value]) => value !== undefined);
  return { ...object, metadata: Object.fromEntries(stated) as JsonObject };
}

export function textIn(metadata: JsonObject, key: string): string | undefined {
  const value = metadata[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function finalizersOf(object: JsonObject): readonly string[] {
  const { finalizers } = metadataOf(object);
  return isList(finalizers) ? finalizers.map(String) : [];
}

export function isMarked(object: JsonObject): boolean {
  return metadataOf(object)['deletionTimestamp'] !== undefined;
}

/** `2026-01-02T03:04:05Z`: the API knows no fractions here. */
export function timeText(now: Date): string {
  return now.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** What nobody states of an object that does not exist yet. */
export function wiped(object: JsonObject): JsonObject {
  return withMetadata(object, {
    ...{ uid: undefined, creationTimestamp: undefined, deletionTimestamp: undefined },
    ...{ deletionGracePeriodSeconds: undefined, selfLink: undefined },
  });
}

/** What the API server gives to an object that is new. */
export function born(object: JsonObject, namespace: string | undefined, now: Date): JsonObject {
  return withMetadata(object, {
    uid: randomUUID(),
    creationTimestamp: timeText(now),
    ...(namespace === undefined ? {} : { namespace }),
  });
}

/** What is stated by nobody, or only as it was: another uid than this is a mistake that is told. */
export function kept(object: JsonObject, before: JsonObject): JsonObject {
  const stated = metadataOf(object);
  const { uid, creationTimestamp, name, namespace, ...more } = metadataOf(before);
  const { deletionTimestamp, deletionGracePeriodSeconds, generation, resourceVersion } = more;
  return withMetadata(object, {
    ...{ name, namespace, creationTimestamp, selfLink: undefined },
    ...{ generation, resourceVersion },
    deletionGracePeriodSeconds: stated['deletionGracePeriodSeconds'] ?? deletionGracePeriodSeconds,
    uid: stated['uid'] || uid,
    // Whoever states an end of what has none yet is told that it is not his to state.
    deletionTimestamp: deletionTimestamp ?? stated['deletionTimestamp'],
  });
}

/** The same object as before, whatever is stated of it: where nobody checks that. */
export function ofSameLife(object: JsonObject, before: JsonObject): JsonObject {
  const { uid, deletionTimestamp, deletionGracePeriodSeconds } = metadataOf(before);
  return withMetadata(kept(object, before), { uid, deletionTimestamp, deletionGracePeriodSeconds });
}
