import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { FieldError, Schema } from '../../parts.ts';
import { child, duplicate, invalid } from './found.ts';
import { propertyOf, valuesOf } from './keyword.ts';
import { keyOf } from './old-item.ts';

/** A list of the type `set` has each item once, one of the type `map` each key. */
export function uniqueErrors(value: Json, schema: Schema, path: string): readonly FieldError[] {
  if (isList(value))
    return [...listErrors(value, schema, path), ...itemErrors(value, schema, path)];
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const property = propertyOf(schema, key);
    if (property !== undefined) return uniqueErrors(each, property, child(path, key));
    const values = valuesOf(schema);
    return values === undefined ? [] : uniqueErrors(each, values, `${path}[${key}]`);
  });
}

function itemErrors(value: readonly Json[], { items }: Schema, path: string) {
  if (items === undefined) return [];
  return value.flatMap((item, index) => uniqueErrors(item, items, `${path}[${index}]`));
}

function listErrors(value: readonly Json[], schema: Schema, path: string): readonly FieldError[] {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'set') return twiceErrors(value, path);
  if (type !== 'map') return [];
  const strange = value.findIndex((item) => item !== null && !isJsonObject(item));
  if (strange >= 0) {
    const why = 'must be an object for an array of list-type map';
    return [invalid(`${path}[${strange}]`, value[strange] ?? null, why)];
  }
  return twiceErrors(
    value.map((item) => keyOf(isJsonObject(item) ? item : {}, schema)),
    path,
  );
}

/** Only the second of equal ones is told, not the third. */
function twiceErrors(value: readonly Json[], path: string): readonly FieldError[] {
  const times = new Map<string, number>();
  return value.flatMap((item, index) => {
    const id = JSON.stringify(sorted(item));
    const before = times.get(id) ?? 0;
    times.set(id, before + 1);
    return before === 1 ? [duplicate(`${path}[${index}]`, item)] : [];
  });
}

function sorted(value: Json): Json {
  if (isList(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const entries: readonly (readonly [string, Json])[] = Object.entries(value);
  const inOrder = [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(inOrder.map(([key, each]) => [key, sorted(each)])) satisfies JsonObject;
}
