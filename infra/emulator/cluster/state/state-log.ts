import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type Stored, storedFrom } from '../store/stored.ts';
import { type Head, headFrom, type Line, lineFrom } from './lines.ts';

export type State = {
  readonly revision: number;
  /** By kind, then by key. */
  readonly objects: ReadonlyMap<string, ReadonlyMap<string, Stored>>;
  /** Up to here the file is whole; what stands behind it was never finished. */
  readonly wholeBytes: number;
  readonly droppedBytes: number;
};

/** What a log says; `undefined` where there is none. Whatever it cannot read for certain, it throws. */
export function readState(path: string): State | undefined {
  const file = opened(path);
  if (file === undefined) return undefined;
  try {
    return stateIn(file, path);
  } finally {
    closeSync(file);
  }
}

/** Anything was kept: its first line is whole. */
export function isBegun(path: string): boolean {
  const file = opened(path);
  if (file === undefined) return false;
  try {
    return linesOf(file).next().value?.isWhole === true;
  } finally {
    closeSync(file);
  }
}

function opened(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (cause: unknown) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new Error(`cannot read the cluster's state in ${path}`, { cause });
  }
}

function stateIn(file: number, path: string): State | undefined {
  const size = fstatSync(file).size;
  const lines = linesOf(file);
  const first = lines.next();
  // Killed before the first line was out: nothing was kept yet.
  if (first.done === true || !first.value.isWhole) return undefined;
  const objects = new Map<string, Map<string, Stored>>();
  let { revision } = headIn(first.value.text, path);
  let wholeBytes = first.value.end;
  for (let next = lines.next(); next.done !== true; next = lines.next()) {
    const { text, end, isWhole } = next.value;
    const line = isWhole ? lineFrom(text) : undefined;
    if (line === undefined && end === size) break;
    if (line === undefined) throw new Error(`${path} is broken at byte ${wholeBytes}: ${repair}`);
    revision = Math.max(revision, line.revision);
    take(objects, line);
    wholeBytes = end;
  }
  return { revision, objects, wholeBytes, droppedBytes: size - wholeBytes };
}

const repair = 'repair it, or forget the state with --fresh';

function headIn(text: string, path: string): Head {
  const head = headFrom(text);
  if (head === 'none') throw new Error(`${path} is no state of a cluster`);
  if (head !== 'newer') return head;
  throw new Error(
    `${path} was written by a newer gatehouse: update it, or forget the state with --fresh`,
  );
}

function take(objects: Map<string, Map<string, Stored>>, line: Line): void {
  const known = objects.get(line.id) ?? new Map<string, Stored>();
  objects.set(line.id, known);
  if (line.kind === 'gone') {
    known.delete(line.key);
    return;
  }
  const stored = storedFrom(line.object, line.revision);
  known.set(stored.key, stored);
}

type Read = { readonly text: string; readonly end: number; readonly isWhole: boolean };

/** Files of any size: a log of a hundred megabytes does not fit into one text. */
function* linesOf(file: number): Generator<Read> {
  const chunk = Buffer.alloc(1024 * 1024);
  let rest: Buffer = Buffer.alloc(0);
  let end = 0;
  for (let count = readSync(file, chunk); count > 0; count = readSync(file, chunk)) {
    rest = Buffer.concat([rest, chunk.subarray(0, count)]);
    let from = 0;
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10, from)) {
      end += at + 1 - from;
      yield { text: rest.toString('utf8', from, at), end, isWhole: true };
      from = at + 1;
    }
    rest = rest.subarray(from);
  }
  if (rest.length > 0) yield { text: rest.toString(), end: end + rest.length, isWhole: false };
}
