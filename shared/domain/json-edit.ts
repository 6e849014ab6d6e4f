import { isJsonObject, isList, type Json, type JsonObject } from './json.ts';
import { indexOf, valueAt } from './json-pointer.ts';

export type Edit =
  | { readonly op: 'add' | 'replace'; readonly value: Json }
  | { readonly op: 'remove' };

/**
 * As RFC 6902 has it; `undefined` where the edit does not fit. Only what stands on the path is copied, the rest is
 * shared. (A computed key is always an own member, `__proto__` too.)
 */
export function edited(
  node: Json,
  path: readonly string[],
  edit: Edit,
  depth = 0,
): Json | undefined {
  const segment = path[depth];
  if (segment === undefined) return edit.op === 'remove' ? undefined : edit.value;
  if (depth === path.length - 1) return editedMember(node, segment, edit);

  const child = valueAt(node, segment) as Json | undefined;
  const next = child === undefined ? undefined : edited(child, path, edit, depth + 1);
  return next === undefined ? undefined : withMember(node, segment, next);
}

function withMember(node: Json, segment: string, value: Json): Json | undefined {
  if (isList(node)) return node.with(Number(segment), value);
  return isJsonObject(node) ? { ...node, [segment]: value } : undefined;
}

function editedMember(node: Json, segment: string, edit: Edit): Json | undefined {
  if (isList(node)) return editedItem(node, segment, edit);
  return isJsonObject(node) ? editedField(node, segment, edit) : undefined;
}

function editedField(node: JsonObject, key: string, edit: Edit): Json | undefined {
  if (edit.op !== 'add' && !Object.hasOwn(node, key)) return undefined;
  if (edit.op !== 'remove') return { ...node, [key]: edit.value };
  const { [key]: _removed, ...rest } = node;
  return rest;
}

function editedItem(node: readonly Json[], segment: string, edit: Edit): Json | undefined {
  const index = segment === '-' && edit.op === 'add' ? node.length : indexOf(segment);
  const end = edit.op === 'add' ? node.length : node.length - 1;
  if (index === undefined || index > end) return undefined;
  switch (edit.op) {
    case 'add':
      return node.toSpliced(index, 0, edit.value);
    case 'replace':
      return node.with(index, edit.value);
    case 'remove':
      return node.toSpliced(index, 1);
  }
}
