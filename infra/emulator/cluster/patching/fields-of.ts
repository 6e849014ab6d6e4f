import { isJsonObject, isList, type Json } from '#shared/domain/json.ts';
import { elementOf } from './elements.ts';
import { type Fields, member } from './fields.ts';
import { type FieldShape, kindOf, type ListShape, type MapShape, type Shape } from './shapes.ts';

export type How = {
  /**
   * `stated`: what a configuration states; a declared field with fields below is only their parent.
   * `each`: what a change made; every field on the way came with it.
   */
  readonly depth: 'stated' | 'each';
  readonly itself: boolean;
};

export const stated: How = { depth: 'stated', itself: false };
export const each: How = { depth: 'each', itself: true };

/** Undefined where there is none; with `itself` the value is a member of its own. */
export function fieldsOf(shape: Shape, value: Json, how: How): Fields | undefined {
  const kind = kindOf(shape, value);
  if (kind === 'map' && shape.map?.atomic === false) return ofMap(shape.map, value, how);
  if (kind === 'list' && shape.list?.atomic === false) return ofList(shape.list, value, how);
  return member;
}

type Open = { [element: string]: Fields };

function ofMap(shape: MapShape, value: Json, { depth, itself }: How): Fields | undefined {
  if (!isJsonObject(value)) return itself ? member : undefined;
  const fields: Open = itself ? { '.': member } : {};
  let some = false;
  for (const field in value) {
    const inner = value[field];
    if (inner === undefined) continue;
    const at = shape.at(field);
    const found = fieldsOf(at.shape, inner, howBelow(depth, at, inner));
    if (found === undefined) continue;
    fields[at.element] = found;
    some = true;
  }
  return settled(fields, some, itself);
}

function howBelow(depth: How['depth'], { place }: FieldShape, inner: Json): How {
  const owned = depth === 'each' || place !== 'declared' || isBare(inner);
  return owned ? itselfIn[depth] : stated;
}

/** Null, or an object without fields: who states it owns it, since nothing below could say so. */
function isBare(value: Json): boolean {
  if (typeof value !== 'object' || Array.isArray(value)) return false;
  for (const _ in value) return false;
  return true;
}

function ofList(shape: ListShape, value: Json, { depth, itself }: How): Fields | undefined {
  if (!isList(value)) return itself ? member : undefined;
  const fields: Open = itself ? { '.': member } : {};
  let some = false;
  for (const item of value) {
    const element = elementOf(shape, item);
    if (typeof element !== 'string') continue;
    some = true;
    // Of two with the same name nobody can say which one is meant.
    const isTwin = fields[element] !== undefined;
    fields[element] = isTwin ? member : (fieldsOf(shape.item, item, itselfIn[depth]) ?? member);
  }
  return settled(fields, some, itself);
}

const itselfIn = { each, stated: { depth: 'stated', itself: true } } as const;

function settled(fields: Open, some: boolean, itself: boolean): Fields | undefined {
  if (some) return fields;
  return itself ? member : undefined;
}
