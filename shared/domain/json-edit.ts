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

/** Whether an edit fits there, without making what comes of it. */
export function fits(parent: unknown, segment: string, { op }: Edit): boolean {
  if (Array.isArray(parent)) return placeIn(parent, segment, op) !== undefined;
  return isJsonObject(parent) && (op === 'add' || Object.hasOwn(parent, segment));
}

function withMember(node: Json, segment: string, value: Json): Json | undefined {
  if (isList(node)) return node.with(Number(segment), value);
  return isJsonObject(node) ? { ...node, [segment]: value } : undefined;
}

function editedMember(node: Json, segment: string, edit: Edit): Json | undefined {
  if (!fits(node, segment, edit)) return undefined;
  if (isList(node)) return editedItem(node, segment, edit);
  return isJsonObject(node) ? editedField(node, segment, edit) : undefined;
}

function editedField(node: JsonObject, key: string, edit: Edit): Json {
  if (edit.op !== 'remove') return { ...node, [key]: edit.value };
  const { [key]: _removed, ...rest } = node;
  return rest;
}

function editedItem(node: readonly Json[], segment: string, edit: Edit): Json | undefined {
  const index = placeIn(node, segment, edit.op);
  if (index === undefined) return undefined;
  switch (edit.op) {
    case 'add':
      return node.toSpliced(index, 0, edit.value);
    case 'replace':
      return node.with(index, edit.value);
    case 'remove':
      return node.toSpliced(index, 1);
  }
}

/** `undefined` where it does not fit. */
export function placeIn(
  list: readonly unknown[],
  segment: string,
  op: Edit['op'],
): number | undefined {
  const index = segment === '-' && op === 'add' ? list.length : indexOf(segment);
  const end = op === 'add' ? list.length : list.length - 1;
  return index === undefined || index > end ? undefined : index;
}
