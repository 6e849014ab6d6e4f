import { isJsonObject, isList, type Json } from '#shared/domain/json.ts';

/** What a document refers to in one of its parts, as `#/…/name`. */
export function referencesIn(value: Json): readonly string[] {
  if (isList(value)) return value.flatMap(referencesIn);
  if (!isJsonObject(value)) return [];
  const { $ref } = value;
  const own = typeof $ref === 'string' ? [$ref] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}

/** Those that have another name now. */
export function referringTo(names: ReadonlyMap<string, string>, value: Json): Json {
  if (isList(value)) return value.map((each) => referringTo(names, each));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === '$ref' && typeof each === 'string'
        ? (names.get(each) ?? each)
        : referringTo(names, each),
    ]),
  );
}
