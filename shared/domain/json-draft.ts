import type { Json, JsonObject } from './json.ts';
import { type Edit, placeIn } from './json-edit.ts';
import { segmentOf, valueAt } from './json-pointer.ts';

/**
 * An object under edit: what an edit stands in is copied once, however many edits come to stand there. The rest is
 * shared with the object, which itself stays as it is.
 */
export type Draft = {
  /** Where the pointer leads, to be edited from now on; `undefined` where nothing can stand, and for the whole. */
  open(pointer: string): Spot | undefined;
  readonly object: JsonObject;
};

export type Opened = Json[] | Record<string, Json>;

/** A name, and in what it stands. */
export type Spot = { readonly opened: Opened; readonly name: string };

/** What was opened on the way to an edit, and where its pointer ends in that of the edit. */
type Step = { readonly end: number; readonly opened: Opened };

export function draftOf(object: JsonObject): Draft {
  const copies = new Set<unknown>();
  const root: Step = { end: 0, opened: copyOf(object, copies) };
  /** To the last edit, which moved nothing of it; the next one has most of the way in common with it. */
  const way: Step[] = [];
  let last = '';
  return {
    open(pointer) {
      if (!pointer.startsWith('/')) return undefined;
      const common = lengthInCommon(last, pointer);
      while ((way.at(-1)?.end ?? 0) > common || !isAbove(way.at(-1), pointer)) way.pop();
      last = pointer;
      return walked(way, way.at(-1) ?? root, { pointer, copies });
    },
    object: root.opened as JsonObject,
  };
}

function lengthInCommon(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

function isAbove(step: Step | undefined, pointer: string): boolean {
  return step === undefined || pointer[step.end] === '/';
}

type Going = { readonly pointer: string; readonly copies: Set<unknown> };

/** On from where the way ends. */
function walked(way: Step[], from: Step, { pointer, copies }: Going): Spot | undefined {
  let { end, opened } = from;
  let slash = pointer.indexOf('/', end + 1);
  while (slash !== -1) {
    const next = openMember(opened, segmentOf(pointer.slice(end + 1, slash)), copies);
    if (next === undefined) return undefined;
    opened = next;
    end = slash;
    way.push({ end, opened });
    slash = pointer.indexOf('/', end + 1);
  }
  const name = segmentOf(pointer.slice(end + 1));
  return name === undefined ? undefined : { opened, name };
}

function openMember(
  opened: Opened,
  segment: string | undefined,
  copies: Set<unknown>,
): Opened | undefined {
  const child = valueAt(opened, segment);
  if (segment === undefined || !isOpenable(child)) return undefined;
  if (copies.has(child)) return child;
  const copy = copyOf(child, copies);
  editAt({ opened, name: segment }, { op: 'replace', value: copy });
  return copy;
}

/** The edit must fit. */
export function editAt({ opened, name }: Spot, edit: Edit): void {
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

function copyOf(node: Opened | JsonObject, copies: Set<unknown>): Opened {
  const copy = Array.isArray(node) ? [...node] : { ...node };
  copies.add(copy);
  return copy;
}

function isOpenable(value: unknown): value is Opened {
  return typeof value === 'object' && value !== null;
}
