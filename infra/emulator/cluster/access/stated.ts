import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';

/** What an object states in a field; of another type it is as good as unstated (a schema has refused it at the door). */
export function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function texts(value: Json | undefined): readonly string[] {
  return isList(value) ? value.filter((each) => typeof each === 'string') : [];
}

export function objects(value: Json | undefined): readonly JsonObject[] {
  return isList(value) ? value.filter(isJsonObject) : [];
}

export function inside(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : nothing;
}

const nothing: JsonObject = Object.freeze({});

export function metadataOf(object: JsonObject | undefined): JsonObject {
  return inside(object?.['metadata']);
}

export function nameOf(object: JsonObject | undefined): string {
  return text(metadataOf(object)['name']);
}

export function namespaceOf(object: JsonObject | undefined): string {
  return text(metadataOf(object)['namespace']);
}

export function uidOf(object: JsonObject | undefined): string {
  return text(metadataOf(object)['uid']);
}

export function labelsOf(object: JsonObject | undefined): Readonly<Record<string, string>> {
  const labels = Object.entries(inside(metadataOf(object)['labels']));
  return Object.fromEntries(labels.map(([key, value]) => [key, text(value)]));
}
