import { isJsonObject, type Json, type JsonObject, jsonIn } from '#shared/domain/json.ts';
import { goJson } from './elements.ts';
import { type Fields, isEmpty, member } from './fields.ts';

export type Misread = { readonly misread: string };

/** A set as somebody sent it; elements of kinds that nobody knows are left out. */
export function canonical(sent: Json): { readonly fields: Fields } | Misread {
  const fields: { [element: string]: Fields } = {};
  for (const [key, value] of Object.entries(isJsonObject(sent) ? sent : {})) {
    const node = nodeFrom(key, value);
    if (node !== undefined && 'misread' in node) return node;
    if (node !== undefined) fields[node.element] = node.below;
  }
  return { fields };
}

type Node = { readonly element: string; readonly below: Fields };

function nodeFrom(key: string, value: Json): Node | Misread | undefined {
  const element = elementFrom(key);
  if (typeof element !== 'string') return element;
  const set = canonical(value);
  if ('misread' in set) return set;
  return { element, below: isEmpty(set.fields) ? member : set.fields };
}

function elementFrom(key: string): string | undefined | Misread {
  if (key === '.') return key;
  if (key.length < 2) return { misread: 'key must be 2 characters long:' };
  if (key[1] !== ':') return { misread: `missing colon: ${key}` };
  return byKind[key.slice(0, 1)]?.(key.slice(2));
}

const byKind: Readonly<Record<string, (rest: string) => string | Misread>> = {
  f: (name) => `f:${name}`,
  i: (index) =>
    /^[+-]?\d+$/.test(index)
      ? `i:${Number(index)}`
      : { misread: `strconv.Atoi: parsing ${JSON.stringify(index)}: invalid syntax` },
  k: (keys) => {
    const value = jsonIn(keys);
    return isJsonObject(value) ? `k:${goJson(byName(value))}` : { misread: `no object: ${keys}` };
  },
  v: (text) => {
    const value = jsonIn(text);
    return value === undefined ? { misread: `no JSON: ${text}` } : `v:${goJson(value)}`;
  },
};

function byName(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}
