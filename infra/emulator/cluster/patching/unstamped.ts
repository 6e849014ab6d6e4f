import { isJsonObject, isList, type Json, type JsonObject, sameJson } from '#shared/domain/json.ts';
import { bare, managedFieldsOf } from './owners.ts';

/** A write that would change nothing but the times in `managedFields` changes nothing at all. */
export function unstamped(next: JsonObject, before: JsonObject): JsonObject {
  const [entries, old] = [managedFieldsOf(next), managedFieldsOf(before)];
  if (!isList(entries) || !isList(old) || entries.length !== old.length) return next;
  const isSame = entries.every((entry, index) =>
    sameJson(withoutTime(entry), withoutTime(old[index] ?? null)),
  );
  return isSame && sameJson(bare(next), bare(before)) ? before : next;
}

function withoutTime(entry: Json): Json {
  if (!isJsonObject(entry)) return entry;
  const { time: _, ...rest } = entry;
  return rest;
}
