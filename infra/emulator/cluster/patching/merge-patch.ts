import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';

/** RFC 7386. */
export function mergePatched(object: JsonObject, patch: JsonObject): JsonObject {
  const merged: { [key: string]: Json } = { ...object };
  for (const [key, value] of Object.entries(patch)) {
    const was = merged[key];
    if (value === null) delete merged[key];
    else if (was === undefined || was === null) merged[key] = withoutNulls(value);
    else merged[key] = over(was, value);
  }
  return merged;
}

/** The server's library leaves nulls within a list that takes an object's place. */
function over(was: Json, value: Json): Json {
  if (!isJsonObject(was)) return withoutNulls(value);
  return isJsonObject(value) ? mergePatched(was, value) : value;
}

/** A list keeps its own nulls; what is in it does not. */
export function withoutNulls(value: Json): Json {
  if (isList(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([key, inner]) => [key, withoutNulls(inner)]),
  );
}
