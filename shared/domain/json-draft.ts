import type { Json, JsonObject } from './json.ts';
import { type Edit, placeIn } from './json-edit.ts';
import { valueAt, type Way, wayOf } from './json-pointer.ts';

/**
 * An object under edit: what an edit stands in is copied once, however many edits come to stand there. The rest is
 * shared with the object, which itself stays as it is.
 */
export type Draft = {
  /** Where the pointer leads, to be edited from now on; `undefined` where nothing can stand, and for the whole. */
  open(pointer: string): Spot | undefined;
  /** The edit must fit. */
  edit(spot: Spot, edit: Edit): void;
  readonly object: JsonObject;
};

export type Opened = Json[] | Record<string, Json>;

/** A name, and in what it stands. */
export type Spot = { readonly opened: Opened; readonly name: string };

export function draftOf(object: JsonObject): Draft {
  const root = copyOf(object);
  /** By the pointer: a place has one, and may be reached by several ways. */
  const known = new Map<string, Opened>([['', root]]);
  /** Many edits in a row stand in the same. */
  let last: { readonly at: string; readonly opened: Opened } = { at: '', opened: root };
  /** Those of places that were forgotten: what is a copy is not copied again. */
  const copies = new Set<unknown>();

  const openAt = (way: Way): Opened | undefined => {
    if (way.at === last.at) return last.opened;
    const found = known.get(way.at);
    const opened = found ?? (way.above && openBelow(way.above, way.name));
    if (opened === undefined) return undefined;
    if (found === undefined) known.set(way.at, opened);
    last = { at: way.at, opened };
    return opened;
  };
  const openBelow = (above: Way, name: string): Opened | undefined => {
    const opened = openAt(above);
    return opened && openMember(opened, name, copies);
  };
  const forgetPlaces = () => {
    for (const opened of known.values()) copies.add(opened);
    known.clear();
    known.set('', root);
    last = { at: '', opened: root };
  };
  return {
    open(pointer) {
      const way = wayOf(pointer);
      const opened = way?.above && openAt(way.above);
      return opened && { opened, name: way.name };
    },
    edit(spot, edit) {
      if (movesSomething(spot, edit)) forgetPlaces();
      editAt(spot, edit);
    },
    object: root as JsonObject,
  };
}

/** Whether what is known by a pointer may stand elsewhere afterwards, or nowhere. */
function movesSomething({ opened, name }: Spot, { op }: Edit): boolean {
  if (op === 'remove') return true;
  const isInserted = op === 'add' && Array.isArray(opened);
  return isInserted
    ? placeIn(opened, name, op) !== opened.length
    : isOpenable(valueAt(opened, name));
}

function openMember(
  opened: Opened,
  name: string,
  copies: ReadonlySet<unknown>,
): Opened | undefined {
  const child = valueAt(opened, name);
  if (!isOpenable(child)) return undefined;
  if (copies.has(child)) return child;
  const copy = copyOf(child);
  if (Array.isArray(opened)) opened[Number(name)] = copy;
  else setMember(opened, name, copy);
  return copy;
}

function editAt({ opened, name }: Spot, edit: Edit): void {
  if (Array.isArray(opened)) editItem(opened, name, edit);
  else if (edit.op === 'remove') delete opened[name];
  else setMember(opened, name, edit.value);
}

function editItem(list: Json[], segment: string, edit: Edit): void {
  const index = placeIn(list, segment, edit.op) ?? list.length;
  if (edit.op === 'remove') list.splice(index, 1);
  else if (edit.op === 'add' && index < list.length) list.splice(index, 0, edit.value);
  else list[index] = edit.value;
}

/** An assignment would set the prototype; what came as JSON has an own member of that name. */
function setMember(object: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { ...plainly, value });
}

const plainly = { enumerable: true, configurable: true, writable: true };

function copyOf(node: Opened | JsonObject): Opened {
  return Array.isArray(node) ? [...node] : { ...node };
}

function isOpenable(value: unknown): value is Opened {
  return typeof value === 'object' && value !== null;
}
