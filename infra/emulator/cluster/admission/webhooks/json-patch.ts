import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { text } from '../../access/stated.ts';
import { type Container, found } from '../../patching/json-container.ts';
import { holderOf, operated } from '../../patching/json-patch.ts';
import { typedAs } from './decoding.ts';

export type Patched =
  | { readonly kind: 'patched'; readonly object: JsonObject }
  | { readonly kind: 'unfit'; readonly why: string };

/** RFC 6902, refused in the words of the library that the real server uses. */
export function jsonPatched(object: JsonObject, operations: readonly JsonObject[]): Patched {
  let current: Json = object;
  for (const operation of operations) {
    const undecodable = undecodableIn(operation);
    const next: Json | undefined =
      undecodable === undefined ? operatedOnce(current, operation) : undefined;
    if (next === undefined)
      return { kind: 'unfit', why: undecodable ?? whyNot(current, operation) };
    current = next;
  }
  return isJsonObject(current)
    ? { kind: 'patched', object: current }
    : { kind: 'unfit', why: `couldn't get version/kind; json parse error: ${typedAs(current)}` };
}

function operatedOnce(current: Json, operation: JsonObject): Json | undefined {
  return isJsonObject(current) || isList(current)
    ? operated(current as JsonObject, [operation])
    : undefined;
}

const known: ReadonlySet<string> = new Set(['add', 'replace', 'remove', 'test', 'move', 'copy']);

function undecodableIn({ op, path, from }: JsonObject): string | undefined {
  if (typeof op !== 'string' || !known.has(op)) return `Unexpected kind: ${text(op) || 'unknown'}`;
  if ((op === 'move' || op === 'copy') && typeof from !== 'string') {
    return `${op} operation failed to decode from: operation, missing from field: missing value`;
  }
  return typeof path === 'string'
    ? undefined
    : `${op} operation failed to decode path: missing value`;
}

/** Of an operation that does not apply. */
function whyNot(document: Json, { op, path: stated, from: source }: JsonObject): string {
  const [path, from] = [text(stated), text(source)];
  const holder = holderOf(document, path);
  switch (op) {
    case 'add':
      return holder === undefined ? missing('add', `path: "${path}"`) : added('add', path, holder);
    case 'replace':
      if (path === '') return 'replace operation value must be object or array: %!w(<nil>)';
      return missing('replace', `${holder === undefined ? 'path' : 'key'}: ${path}`);
    case 'remove':
      if (holder === undefined) return missing('remove', `path: "${path}"`);
      return `error in remove for path: '${path}': ${notRemoved(holder)}`;
    case 'test':
      return untrue(path, holder);
    default:
      return notCarried(document, { op: text(op), from, path });
  }
}

type Holder = { readonly container: Container; readonly key: string };

function missing(op: string, what: string): string {
  return `${op} operation does not apply: doc is missing ${what}: missing value`;
}

function added(op: string, path: string, { key }: Holder): string {
  const why = isIndex(key)
    ? outside(key)
    : `value was not a proper array index: '${key}': ${noNumber(key)}`;
  return `error in ${op} for path: '${path}': ${why}`;
}

function notRemoved({ container, key }: Holder): string {
  if (!isList(container)) return `Unable to remove nonexistent key: ${key}: missing value`;
  return isIndex(key) ? outside(key) : noNumber(key);
}

function untrue(path: string, holder: Holder | undefined): string {
  if (path !== '' && holder === undefined) {
    return `test operation does not apply: is missing path: ${path}: missing value`;
  }
  const why = holder === undefined ? undefined : notFound(holder);
  return why === undefined
    ? `testing value ${path} failed: test failed`
    : `error in test for path: '${path}': ${why}`;
}

/** An object has nothing under any other key; a list ends. */
function notFound({ container, key }: Holder): string | undefined {
  if (found(container, key) !== undefined) return undefined;
  return isIndex(key) ? outside(key) : noNumber(key);
}

type Carried = { readonly op: string; readonly from: string; readonly path: string };

function notCarried(document: Json, { op, from, path }: Carried): string {
  const holder = holderOf(document, from);
  if (holder === undefined) return missing(op, `from path: ${from}`);
  const why = notFound(holder) ?? (op === 'move' ? notTaken(holder) : undefined);
  if (why !== undefined) {
    const where = op === 'move' ? `path: '${holder.key}'` : `from: '${from}'`;
    return `error in ${op} for ${where}: ${why}`;
  }
  const left = op === 'move' ? operatedOnce(document, { op: 'remove', path: from }) : document;
  const into = holderOf(left ?? null, path);
  return into === undefined ? missing(op, `destination path: ${path}`) : added(op, path, into);
}

function notTaken({ container, key }: Holder): string | undefined {
  return isList(container) || Object.hasOwn(container, key)
    ? undefined
    : notRemoved({ container, key });
}

function isIndex(key: string): boolean {
  return /^[+-]?\d+$/.test(key);
}

function outside(index: string): string {
  return `Unable to access invalid index: ${Number(index)}: invalid index referenced`;
}

function noNumber(key: string): string {
  return `strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;
}
