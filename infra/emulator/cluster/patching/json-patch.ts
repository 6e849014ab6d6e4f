import { isJsonObject, isList, type Json, type JsonObject, sameJson } from '#shared/domain/json.ts';
import { added, type Container, found, removed, replaced } from './json-container.ts';

/** RFC 6902 as the server's library does it: undefined where an operation does not apply; the server says no more. */
export function operated(object: JsonObject, operations: readonly JsonObject[]): Json | undefined {
  let current: Json = object;
  for (const operation of operations) {
    const next: Json | undefined = byName[String(operation['op'])]?.(current, operation);
    if (next === undefined) return undefined;
    current = next;
  }
  return current;
}

type Operate = (document: Json, operation: JsonObject) => Json | undefined;

const byName: Readonly<Record<string, Operate>> = {
  add: (document, { path, value = null }) =>
    at(document, path, (parent, key) => added(parent, key, value)),
  remove: (document, { path }) => at(document, path, removed),
  replace: (document, { path, value = null }) => {
    if (path === '') return typeof value === 'object' && value !== null ? value : undefined;
    return at(document, path, (parent, key) => replaced(parent, key, value));
  },
  move: (document, { from, path }) => {
    const value = read(document, from);
    const without = value === undefined ? undefined : at(document, from, removed);
    if (without === undefined || value === undefined) return undefined;
    return at(without, path, (parent, key) => added(parent, key, value.value ?? null));
  },
  copy: (document, { from, path }) => {
    const value = read(document, from);
    if (value === undefined) return undefined;
    return at(document, path, (parent, key) => added(parent, key, value.value ?? null));
  },
  test: (document, { path, value = null }) => {
    const there = path === '' ? { value: document } : read(document, path);
    return there !== undefined && sameJson(there.value ?? null, value) ? document : undefined;
  },
};

type Edit = (parent: Container, key: string) => Container | undefined;

/** The document with its deepest container on the path edited; all that is not on the way is shared. */
function at(document: Json, path: Json | undefined, edit: Edit): Json | undefined {
  const steps = stepsOf(path);
  return steps === undefined ? undefined : edited(document, steps, edit);
}

function edited(node: Json | undefined, steps: readonly string[], edit: Edit): Json | undefined {
  const [step = '', ...rest] = steps;
  if (!isJsonObject(node) && !isList(node)) return undefined;
  if (rest.length === 0) return edit(node, step);
  const child = found(node, step);
  const next = child === undefined ? undefined : edited(child.value, rest, edit);
  return next === undefined ? undefined : replaced(node, step, next);
}

/** A missing key of an object is found as nothing; a missing index of a list is not found. */
function read(
  document: Json,
  path: Json | undefined,
): { readonly value: Json | undefined } | undefined {
  const steps = stepsOf(path);
  if (steps === undefined) return undefined;
  let node: Json | undefined = document;
  for (const step of steps) {
    if (!isJsonObject(node) && !isList(node)) return undefined;
    const child = found(node, step);
    if (child === undefined) return undefined;
    node = child.value;
  }
  return { value: node };
}

/** What a path's last step is looked for in. */
export function holderOf(
  document: Json,
  path: Json | undefined,
): { readonly container: Container; readonly key: string } | undefined {
  const steps = stepsOf(path);
  const key = steps?.at(-1);
  if (steps === undefined || key === undefined) return undefined;
  const node = steps
    .slice(0, -1)
    .reduce<Json | undefined>(
      (at, step) => (isJsonObject(at) || isList(at) ? found(at, step)?.value : undefined),
      document,
    );
  return isJsonObject(node) || isList(node) ? { container: node, key } : undefined;
}

/** What stands before the first slash counts for nothing. */
function stepsOf(path: Json | undefined): readonly string[] | undefined {
  if (typeof path !== 'string' || !path.includes('/')) return undefined;
  return path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
