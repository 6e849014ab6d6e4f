import { isJsonObject, isList, type Json, type JsonObject, sameJson } from '#shared/domain/json.ts';
import type { Schema } from '../../parts.ts';

/** Only in a list of the type `map` can be told which item an item was before. */
export function oldItemOf(item: Json, schema: Schema, old: Json | undefined): Json | undefined {
  if (schema['x-kubernetes-list-type'] !== 'map' || !isList(old) || !isJsonObject(item))
    return undefined;
  const key = keyOf(item, schema);
  return old.find((each) => isJsonObject(each) && sameJson(keyOf(each, schema), key));
}

/** A key that is not stated, but has a default, is that. */
export function keyOf(item: JsonObject, schema: Schema): JsonObject {
  const names = schema['x-kubernetes-list-map-keys'] ?? [];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = item[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
