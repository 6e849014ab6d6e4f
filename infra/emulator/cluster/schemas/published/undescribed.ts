import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';

/**
 * All documents' components in one, without descriptions: an eighth of the bytes, read in 3 ms instead of 13 for the core alone.
 * What the server checks by is read at each start, what `kubectl explain` prints is not.
 */
export function undescribed(documents: readonly JsonObject[]): JsonObject {
  const schemas = documents.flatMap((document) => Object.entries(componentsOf(document)));
  const byName = new Map(schemas.map(([name, schema]) => [name, withoutText(schema)]));
  return Object.fromEntries([...byName].sort(([one], [other]) => (one < other ? -1 : 1)));
}

export function componentsOf({ components }: JsonObject): JsonObject {
  const schemas = isJsonObject(components) ? components['schemas'] : undefined;
  return isJsonObject(schemas) ? schemas : {};
}

/** A property may be called `description` as well. */
function withoutText(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutText);
  if (!isJsonObject(schema)) return schema;
  const entries = Object.entries(schema).filter(([key]) => key !== 'description');
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      key === 'properties' && isJsonObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutText(each)]))
        : withoutText(value),
    ]),
  );
}
