import { isJsonObject, type Json, type JsonObject, sameJson } from './json.ts';
import { draftOf } from './json-draft.ts';
import { edited, fits } from './json-edit.ts';
import { parsePointer, pointer, valueAt } from './json-pointer.ts';
import { recurring } from './recurring.ts';
import type { Change } from './verdict.ts';

/** RFC 6902, as far as an admission answer needs it. `path` is a JSON Pointer. */
export type Operation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string };

/** The object itself stays as it is; what an operation does not touch is shared with it. */
export function applyPatch(object: JsonObject, operations: readonly Operation[]): JsonObject {
  return operations.reduce(applied, object);
}

export type Effect<O> = {
  /** Without the operations that would leave the object as it is at their turn. */
  readonly operations: readonly O[];
  /** The object after them, made when it is asked for: copying what stands on the way is most of the work. */
  readonly object: () => JsonObject;
};

/** Throws where an operation does not fit. */
export function effectOf<O extends Operation>(
  object: JsonObject,
  operations: readonly O[],
): Effect<O> {
  const { kept, after } = drafted(object, operations.slice(0, -1));
  const last = operations.at(-1);
  if (last === undefined || !isToBeDone(after, last)) {
    return { operations: kept, object: () => after };
  }
  // Most patches have one operation, and nobody asks what comes of the last one.
  return { operations: [...kept, last], object: () => applied(after, last) };
}

type Drafted<O> = { readonly kept: readonly O[]; readonly after: JsonObject };

/** As one after another, by one draft. */
function drafted<O extends Operation>(object: JsonObject, operations: readonly O[]): Drafted<O> {
  if (operations.length === 0) return { kept: [], after: object };
  let draft = draftOf(object);
  const kept = operations.filter((operation) => {
    const spot = draft.open(operation.path);
    if (spot === undefined) {
      // The whole object is replaced: rare, and what fits nowhere is said there.
      const isNew = isToBeDone(draft.object, operation);
      if (isNew) draft = draftOf(applied(draft.object, operation));
      return isNew;
    }
    if (!isToBeDoneIn(spot.opened, spot.name, operation)) return false;
    draft.edit(spot, operation);
    return true;
  });
  return { kept, after: draft.object };
}

type Path = readonly (string | number)[];

/** One operation that makes the value stand there, with what is missing above it; none where it stands already. */
export function setAt(object: unknown, path: Path, value: Json, why: string): readonly Change[] {
  const { node, depth } = reach(object, path);
  const here = path.slice(0, depth + 1);
  const found = valueAt(node, path[depth]);
  if (depth === path.length - 1 && sameJson(found, value)) return [];

  const op = operationFor(node, here, found);
  return [{ op, path: pointer(...here), value: nested(path.slice(depth + 1), value), why }];
}

/** Adds at the list's end, every time: whether the item is there already is the caller's decision. */
export function appendAt(object: unknown, path: Path, value: Json, why: string): readonly Change[] {
  const list = path.reduce<unknown>(valueAt, object);
  if (list === undefined || list === null) return setAt(object, path, [value], why);
  if (!Array.isArray(list)) throw unfit('append to', pointer(...path));
  return [{ op: 'add', path: pointer(...path, list.length), value, why }];
}

export function removeAt(object: unknown, path: Path, why: string): readonly Change[] {
  const found = path.reduce<unknown>(valueAt, object);
  return found === undefined ? [] : [{ op: 'remove', path: pointer(...path), why }];
}

/** The deepest parent that is there; null is as good as missing (Go writes both). */
function reach(object: unknown, path: Path): { readonly node: unknown; readonly depth: number } {
  let node = object;
  for (let depth = 0; depth < path.length - 1; depth += 1) {
    const child = valueAt(node, path[depth]);
    if (child === undefined || child === null) return { node, depth };
    node = child;
  }
  return { node, depth: path.length - 1 };
}

/** In a list `add` would move what follows, so that what stands there (a null, say) is replaced. */
function operationFor(node: unknown, path: Path, found: unknown): 'add' | 'replace' {
  if (!Array.isArray(node)) {
    if (typeof node !== 'object' || node === null) throw unfit('set', pointer(...path));
    return found === undefined || found === null ? 'add' : 'replace';
  }
  if (found !== undefined) return 'replace';
  if (path.at(-1) !== node.length) throw unfit('set', pointer(...path));
  return 'add';
}

function nested(path: Path, value: Json): Json {
  return path.reduceRight<Json>((inner, segment) => {
    if (typeof segment !== 'number') return { [segment]: inner };
    if (segment !== 0) throw unfit('set', pointer(...path));
    return [inner];
  }, value);
}

function isToBeDone(object: JsonObject, operation: Operation): boolean {
  const path = stepsOf(operation);
  const last = path.at(-1);
  // The whole object is replaced: rare, and `applied` says whether by an object.
  if (last === undefined) return !sameJson(applied(object, operation), object);

  const parent = path.slice(0, -1).reduce<unknown>(valueAt, object);
  return isToBeDoneIn(parent, last, operation);
}

function isToBeDoneIn(parent: unknown, last: string, operation: Operation): boolean {
  if (!fits(parent, last, operation)) throw unfit(operation.op, operation.path);
  return !isNoOp(parent, last, operation);
}

function isNoOp(parent: unknown, last: string, operation: Operation): boolean {
  if (operation.op === 'remove') return false;
  // In a list `add` moves what stands there.
  if (operation.op === 'add' && Array.isArray(parent)) return false;
  return sameJson(valueAt(parent, last), operation.value);
}

function applied(object: JsonObject, operation: Operation): JsonObject {
  const next = edited(object, stepsOf(operation), operation);
  if (!isJsonObject(next)) throw unfit(operation.op, operation.path);
  return next;
}

const parsed = recurring(parsePointer);

function stepsOf({ path }: Operation): readonly string[] {
  const steps = parsed(path);
  if (steps === undefined) throw new Error(`no JSON Pointer: ${path}`);
  return steps;
}

function unfit(what: string, path: string): Error {
  return new Error(`cannot ${what} ${path}: it does not fit the object`);
}
