import { isJsonObject, isList, type Json, type JsonObject, sameJson } from '#shared/domain/json.ts';
import { type Edit, edited, fits } from '#shared/domain/json-edit.ts';
import { parsePointer, valueAt } from '#shared/domain/json-pointer.ts';
import { text } from '../../access/stated.ts';

export type Patched =
  | { readonly kind: 'patched'; readonly object: JsonObject }
  | { readonly kind: 'unfit'; readonly why: string };

/** RFC 6902, refused in the words of the library that the real server uses. */
export function jsonPatched(object: JsonObject, operations: readonly JsonObject[]): Patched {
  let current: Json = object;
  for (const operation of operations) {
    const next = applied(current, operation);
    if ('why' in next) return { kind: 'unfit', why: next.why };
    current = next.value;
  }
  if (isJsonObject(current)) return { kind: 'patched', object: current };
  return { kind: 'unfit', why: 'json: cannot unmarshal the patched document into an object' };
}

type Next = { readonly value: Json } | { readonly why: string };

function applied(doc: Json, operation: JsonObject): Next {
  const { op, path, from, value = null } = operation;
  const isKnown = typeof op === 'string' && known.has(op);
  if (isKnown && path === undefined)
    return { why: `${op} operation failed to decode path: missing value` };
  switch (op) {
    case 'add':
      return put(doc, 'add', { path: text(path), value });
    case 'replace':
      return replaced(doc, text(path), value);
    case 'remove':
      return removed(doc, text(path));
    case 'test':
      return tested(doc, text(path), value);
    case 'move':
    case 'copy':
      return carried(doc, op, { from: text(from), path: text(path) });
    default:
      return { why: `Unexpected kind: ${text(op) || 'unknown'}` };
  }
}

const known: ReadonlySet<string> = new Set(['add', 'replace', 'remove', 'test', 'move', 'copy']);

type Place = { readonly parent: Json; readonly key: string };

/** What the last step is taken from; `undefined` where the way there ends before. */
function placeOf(doc: Json, path: string): Place | undefined {
  const steps = parsePointer(path) ?? [];
  const key = steps.at(-1);
  if (key === undefined) return undefined;
  const parent = steps.slice(0, -1).reduce<unknown>(valueAt, doc);
  return isJsonObject(parent) || Array.isArray(parent)
    ? { parent: parent as Json, key }
    : undefined;
}

function edit(doc: Json, path: string, what: Edit): Json {
  // What fits has been asked before.
  return edited(doc, parsePointer(path) ?? [], what) ?? doc;
}

function put(
  doc: Json,
  op: string,
  { path, value }: { readonly path: string; readonly value: Json },
): Next {
  const place = placeOf(doc, path);
  if (place === undefined) {
    const where = op === 'add' ? `path: "${path}"` : `destination path: ${path}`;
    return { why: `${op} operation does not apply: doc is missing ${where}: missing value` };
  }
  const what = { op: 'add', value } as const;
  if (fits(place.parent, place.key, what)) return { value: edit(doc, path, what) };
  return { why: `error in ${op} for path: '${path}': ${badIndex(place.key)}` };
}

function replaced(doc: Json, path: string, value: Json): Next {
  if (path === '') return { value };
  const place = placeOf(doc, path);
  const missing = (what: string) => ({
    why: `replace operation does not apply: doc is missing ${what}: ${path}: missing value`,
  });
  if (place === undefined) return missing('path');
  // A key that is not there is made.
  if (!isList(place.parent)) return { value: edit(doc, path, { op: 'add', value }) };
  const what = { op: 'replace', value } as const;
  return fits(place.parent, place.key, what) ? { value: edit(doc, path, what) } : missing('key');
}

function removed(doc: Json, path: string): Next {
  const place = placeOf(doc, path);
  if (place === undefined) {
    return {
      why: `remove operation does not apply: doc is missing path: "${path}": missing value`,
    };
  }
  if (fits(place.parent, place.key, { op: 'remove' })) {
    return { value: edit(doc, path, { op: 'remove' }) };
  }
  const why = isList(place.parent)
    ? badIndex(place.key)
    : `Unable to remove nonexistent key: ${place.key}: missing value`;
  return { why: `error in remove for path: '${path}': ${why}` };
}

/** What is not there equals null. */
function tested(doc: Json, path: string, value: Json): Next {
  const found = (parsePointer(path) ?? []).reduce<unknown>(valueAt, doc) ?? null;
  return sameJson(found, value)
    ? { value: doc }
    : { why: `testing value ${path} failed: test failed` };
}

type Carried = { readonly from: string; readonly path: string };

function carried(doc: Json, op: 'move' | 'copy', { from, path }: Carried): Next {
  const place = placeOf(doc, from);
  const found = (parsePointer(from) ?? []).reduce<unknown>(valueAt, doc);
  if (found === undefined && place !== undefined && !isList(place.parent)) {
    if (op === 'copy') return put(doc, op, { path, value: null });
    const { key } = place;
    return {
      why: `error in move for path: '${key}': Unable to remove nonexistent key: ${key}: missing value`,
    };
  }
  if (found === undefined) {
    return {
      why: `${op} operation does not apply: doc is missing from path: ${from}: missing value`,
    };
  }
  const left = op === 'move' ? removed(doc, from) : { value: doc };
  return 'why' in left ? left : put(left.value, op, { path, value: found as Json });
}

function badIndex(key: string): string {
  return /^-?\d+$/.test(key)
    ? `Unable to access invalid index: ${key}: invalid index referenced`
    : `value was not a proper array index: '${key}': strconv.Atoi: parsing "${key}": invalid syntax`;
}
