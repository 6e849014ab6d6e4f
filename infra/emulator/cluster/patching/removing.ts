import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { elementOf } from './elements.ts';
import { children, type Fields, hasChildren, isMember, member } from './fields.ts';
import { deduced, kindOf, type ListShape, type MapShape, type Shape } from './shapes.ts';

/** The value without these fields; null where nothing is left of a map or a list. */
export function removed(shape: Shape, value: Json, fields: Fields): Json {
  const kind = kindOf(shape, value);
  if (kind === 'map' && shape.map !== undefined) return ofMap(shape.map, value, fields);
  if (kind === 'list' && shape.list !== undefined) return ofList(shape.list, value, fields);
  return value;
}

function ofMap(shape: MapShape, value: Json, fields: Fields): Json {
  if (!isJsonObject(value) || shape.atomic) return null;
  const left: { [field: string]: Json } = {};
  let some = false;
  for (const [field, inner] of Object.entries(value)) {
    const node = fields[`f:${field}`];
    if (isMember(node)) continue;
    left[field] = node === undefined ? inner : removed(shape.at(field).shape, inner, node);
    some = true;
  }
  return some ? left : null;
}

function ofList(shape: ListShape, value: Json, fields: Fields): Json {
  if (!isList(value) || shape.atomic) return null;
  const left = value.flatMap((item): readonly Json[] => {
    const element = elementOf(shape, item);
    const node = typeof element === 'string' ? fields[element] : undefined;
    if (isMember(node)) return [];
    return [node === undefined ? item : removed(shape.item, item, node)];
  });
  return left.length === 0 ? null : left;
}

export function removedFrom(shape: Shape, object: JsonObject, fields: Fields): JsonObject {
  const left = removed(shape, object, fields);
  return isJsonObject(left) ? left : {};
}

/** With the declared fields that only have fields below: the fields of a set that could be removed as a whole. */
export function withParents(shape: Shape | undefined, fields: Fields): Fields {
  const all: { [element: string]: Fields } = {};
  for (const element in fields) {
    const node = fields[element];
    if (node === undefined || element === '.') continue;
    all[element] = parent({ shape, element, node });
  }
  return all;
}

type At = { readonly shape: Shape | undefined; readonly element: string; readonly node: Fields };

function parent({ shape, element, node }: At): Fields {
  if (!hasChildren(node)) return node;
  const field = element.startsWith('f:') ? shape?.map?.at(element.slice(2)) : undefined;
  const inner = element.startsWith('f:') ? field?.shape : shape?.list?.item;
  const below = withParents(inner ?? deduced, children(node));
  return isMember(node) || field?.place === 'declared' ? { '.': member, ...below } : below;
}
