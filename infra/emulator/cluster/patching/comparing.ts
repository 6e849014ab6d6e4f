import { isJsonObject, isList, type Json, type JsonObject, sameJson } from '#shared/domain/json.ts';
import { elementOf } from './elements.ts';
import { type Fields, isEmpty, member, noFields, union } from './fields.ts';
import { each, fieldsOf } from './fields-of.ts';
import { kindOf, type ListShape, type MapShape, type Shape } from './shapes.ts';

/** No field is in two of them. */
export type Diff = {
  readonly added: Fields;
  readonly modified: Fields;
  readonly removed: Fields;
};

type Node = {
  readonly added?: Fields | undefined;
  readonly modified?: Fields | undefined;
  readonly removed?: Fields | undefined;
};

const same: Node = {};
const changed: Node = { modified: member };

/** Which fields came, went and are another now. */
export function compared(shape: Shape, before: JsonObject, after: JsonObject): Diff {
  const { added, modified, removed } = node(shape, before, after);
  return {
    added: added ?? noFields,
    modified: modified ?? noFields,
    removed: removed ?? noFields,
  };
}

function node(shape: Shape, before: Json | undefined, after: Json | undefined): Node {
  if (before === after) return same;
  if (before === undefined) return { added: came(shape, after ?? null) };
  if (after === undefined) return { removed: came(shape, before) };
  const [was, is] = [kindOf(shape, before), kindOf(shape, after)];
  if (was === is) return ofKind[is](shape, before, after);
  return together(ofKind[was](shape, before, after), ofKind[is](shape, before, after));
}

/** All that a value holds, and the value itself. */
function came(shape: Shape, value: Json): Fields {
  return fieldsOf(shape, value, each) ?? member;
}

const ofKind = { scalar: leaf, list, map };

function leaf(_: Shape, before: Json, after: Json): Node {
  return sameJson(before, after) ? same : changed;
}

function map(shape: Shape, before: Json, after: Json): Node {
  const [one, other] = [isJsonObject(before) ? before : {}, isJsonObject(after) ? after : {}];
  if (shape.map === undefined || shape.map.atomic || (hasNone(one) && hasNone(other))) {
    return leaf(shape, before, after);
  }
  return byField(shape.map, one, other);
}

function hasNone(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}

function byField(shape: MapShape, before: JsonObject, after: JsonObject): Node {
  const found = collecting();
  for (const field in before) {
    const [was, is] = [before[field], after[field]];
    if (was === is) continue;
    const at = shape.at(field);
    found.add(at.element, node(at.shape, was, is));
  }
  for (const field in after) {
    const is = after[field];
    if (is === undefined || before[field] !== undefined) continue;
    const at = shape.at(field);
    found.add(at.element, { added: came(at.shape, is) });
  }
  return found.node();
}

function list(shape: Shape, before: Json, after: Json): Node {
  const [one, other] = [isList(before) ? before : [], isList(after) ? after : []];
  if (shape.list === undefined || shape.list.atomic || one.length + other.length === 0) {
    return leaf(shape, before, after);
  }
  // Most lists are as they were: naming their items is most of the work.
  return sameJson(one, other) ? same : byItem(shape.list, one, other);
}

function byItem(shape: ListShape, before: readonly Json[], after: readonly Json[]): Node {
  const found = collecting();
  const [were, are] = [indexed(shape, before), indexed(shape, after)];
  for (const [element, items] of were) {
    found.add(element, ofItems(shape.item, items, are.get(element) ?? []));
  }
  for (const [element, items] of are) {
    if (!were.has(element)) found.add(element, ofItems(shape.item, [], items));
  }
  return found.node();
}

function indexed(
  shape: ListShape,
  items: readonly Json[],
): ReadonlyMap<string, readonly [Json, ...Json[]]> {
  const index = new Map<string, [Json, ...Json[]]>();
  for (const item of items) {
    const element = elementOf(shape, item);
    if (typeof element !== 'string') continue;
    const twins = index.get(element);
    if (twins === undefined) index.set(element, [item]);
    else twins.push(item);
  }
  return index;
}

/** Items of the same name are one field together; one alone is looked into. */
function ofItems(shape: Shape, were: readonly Json[], are: readonly Json[]): Node {
  const [was, is] = [were[0], are[0]];
  if (were.length < 2 && are.length < 2) return node(shape, was, is);
  if (were.length > 1 && are.length > 1) return sameJson(were, are) ? same : changed;
  const alone =
    were.length > 1 ? { before: undefined, after: is } : { before: was, after: undefined };
  const mark: Node = were.length > 1 ? { removed: member } : { added: member };
  if (alone.before === undefined && alone.after === undefined) return mark;
  return together(node(shape, alone.before, alone.after), mark);
}

function together(one: Node, other: Node): Node {
  return {
    added: joined(one.added, other.added),
    modified: joined(one.modified, other.modified),
    removed: joined(one.removed, other.removed),
  };
}

function joined(one: Fields | undefined, other: Fields | undefined): Fields | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return union({ node: one }, { node: other })['node'];
}

function collecting() {
  const [added, modified, removed] = [open(), open(), open()];
  return {
    add(element: string, found: Node): void {
      if (found === same) return;
      if (found.added !== undefined) added[element] = found.added;
      if (found.modified !== undefined) modified[element] = found.modified;
      if (found.removed !== undefined) removed[element] = found.removed;
    },
    node: (): Node => {
      const all = { added: some(added), modified: some(modified), removed: some(removed) };
      return (all.added ?? all.modified ?? all.removed) === undefined ? same : all;
    },
  };
}

function open(): { [element: string]: Fields } {
  return {};
}

function some(fields: Fields): Fields | undefined {
  return isEmpty(fields) ? undefined : fields;
}
