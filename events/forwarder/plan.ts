import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { mirroredForm, placeOf, type Row, rowIn } from '#shared/domain/mirrored.ts';
import { isLater } from '#shared/domain/watched.ts';
import { happenedTo } from './happening.ts';
import type { Seen, Unkept } from './seen.ts';
import { isBehind } from './versions.ts';
import type { Happened } from './wakes.ts';

/** What one transaction does about it. */
export type Plan = {
  readonly rows: readonly Row[];
  /** Listed, and as they were. */
  readonly marked: readonly string[];
  /** Out of the scope, but not deleted. */
  readonly forgotten: readonly string[];
  readonly happened: readonly Happened[];
};

export type Place = {
  readonly epoch: number;
  readonly generation: number;
  /** What named indexes find an object by. */
  readonly keysOf: (object: KubeObject) => readonly string[];
};

/** In their order, each against what the one before left: also inside a batch. */
export function planChanges(seen: readonly Seen[], known: readonly Row[], place: Place): Plan {
  const state = stateOf(known);
  const happened = seen.flatMap((each) => planOne(each, state, place));
  return {
    rows: [...state.written].flatMap((uid) => state.rows.get(uid) ?? []),
    marked: [...state.marked].filter((uid) => !state.written.has(uid)),
    forgotten: [...state.forgotten],
    happened,
  };
}

type State = {
  readonly rows: Map<string, Row>;
  /** The uid that lives under a name. */
  readonly names: Map<string, string>;
  readonly written: Set<string>;
  readonly marked: Set<string>;
  readonly forgotten: Set<string>;
};

function stateOf(known: readonly Row[]): State {
  const living = known.filter(({ isDeleted }) => !isDeleted);
  return {
    rows: new Map(known.map((row) => [row.uid, row])),
    names: new Map(living.map((row) => [placeOf(row), row.uid])),
    written: new Set(),
    marked: new Set(),
    forgotten: new Set(),
  };
}

function planOne(seen: Seen, state: State, place: Place): readonly Happened[] {
  if (seen.kind === 'nobody') return planVacancy(seen, state, place);
  if (seen.kind === 'oversized') return planUnread(seen, state, place);
  if (seen.kind === 'unkept') return planUnkept(seen, state, place);
  const { kind, object } = seen;
  const next = rowOf(object, place);
  const row = state.rows.get(next.uid);
  if (kind === 'deleted') return planDeletion(next, row, state);
  if (kind === 'left') return planLeaving(next, row, { state, place });
  if (row !== undefined && !isNews(next, row)) return planKnown(next, row, state);
  if (isOvertaken(next, state)) return [];

  const before = row?.isDeleted === false ? row : undefined;
  return [...planSuccession(next, state, place), ...planState(next, before, state)];
}

/**
 * Within one history the later version is the newer one, and a uid never lives again: what a watch tells of it may be
 * older than a look at the server that found it gone. Of another history nothing but the whole state tells.
 */
function isNews(next: Row, row: Row): boolean {
  if (isOfHistory(row, next)) {
    return (
      !row.isDeleted &&
      (isLater(next.resourceVersion, row.resourceVersion) ||
        (isReshaped(next, row) && !isSameButShape(next, row)))
    );
  }
  return row.isDeleted || !isDeepStrictEqual(next.object, row.object);
}

/** The same state of it, in another version of its kind. */
function isReshaped(next: Row, row: Row): boolean {
  return (
    next.resourceVersion === row.resourceVersion && next.object.apiVersion !== row.object.apiVersion
  );
}

function isSameButShape({ object }: Row, row: Row): boolean {
  return isDeepStrictEqual({ ...object, apiVersion: row.object.apiVersion }, row.object);
}

/** Their versions can be compared. What another scope wrote may be of another shape: its versions say nothing. */
function isOfHistory(row: Row, { epoch }: Pick<Row, 'epoch'>): boolean {
  return row.epoch === epoch && row.isInherited !== true;
}

/** Said before. A list marks it; one of the history before, or in another version of its kind, is written. */
function planKnown(next: Row, row: Row, state: State): readonly Happened[] {
  if (row.isDeleted) return [];
  if (!isOfHistory(row, next) || isReshaped(next, row)) write(next, state);
  else if (row.generation !== next.generation) state.marked.add(row.uid);
  return [];
}

function planState(next: Row, before: Row | undefined, state: State): readonly Happened[] {
  write(next, state);
  const type = before === undefined ? 'added' : 'modified';
  return [happenedTo(next, { type, before, after: next })];
}

type Version = Pick<Row, 'uid' | 'namespace' | 'name' | 'resourceVersion' | 'epoch'>;

/** A look at the server has found its successor already: it lived and died meanwhile, unseen. */
function isOvertaken(next: Version, state: State): boolean {
  const other = state.rows.get(state.names.get(placeOf(next)) ?? '');
  if (other === undefined || other.uid === next.uid || !isOfHistory(other, next)) return false;
  return isBehind(next.resourceVersion, other.resourceVersion);
}

/** A name that another uid lives under: that one was deleted, whether or not anybody said so. */
function planSuccession(
  next: Pick<Row, 'uid' | 'namespace' | 'name'>,
  state: State,
  { epoch }: Place,
): readonly Happened[] {
  const other = state.names.get(placeOf(next));
  const old = other === undefined || other === next.uid ? undefined : state.rows.get(other);
  return old === undefined ? [] : planDeletion(rowIn(old, { epoch }), old, state);
}

/** Whoever lived under the name does no more, and no line will say so. */
function planVacancy(
  at: Pick<Row, 'namespace' | 'name'>,
  state: State,
  { epoch }: Place,
): readonly Happened[] {
  const row = state.rows.get(state.names.get(placeOf(at)) ?? '');
  return row === undefined ? [] : planDeletion(rowIn(row, { epoch }), row, state);
}

/** No list may take it for gone. */
function planUnread(
  at: Pick<Row, 'namespace' | 'name'>,
  state: State,
  { generation }: Place,
): readonly Happened[] {
  const row = state.rows.get(state.names.get(placeOf(at)) ?? '');
  if (row !== undefined) stay(row, state, generation);
  return [];
}

function stay(row: Row, { marked }: State, generation: number): void {
  if (row.isInherited === true || row.generation !== generation) marked.add(row.uid);
}

/** Its row stays as it was, until its end is told, with that state as its last; whoever had its name before is gone. */
function planUnkept(seen: Unkept, state: State, place: Place): readonly Happened[] {
  const { epoch, generation } = place;
  const row = state.rows.get(seen.uid);
  const isLiving = row?.isDeleted === false;
  if (seen.isDeleted) return isLiving ? planDeletion(rowIn(row, { epoch }), row, state) : [];
  if (isLiving) stay(row, state, generation);
  return isLiving || isOvertaken({ ...seen, epoch }, state)
    ? []
    : planSuccession(seen, state, place);
}

/**
 * The end of a uid is final, whatever version it is told with; told again, it is old news. A look at the server may have
 * shown it later than what is told here, which was then no end but a way out of sight: the later state stays its last.
 */
function planDeletion(told: Row, row: Row | undefined, state: State): readonly Happened[] {
  if (row?.isDeleted) return [];
  const isKnownLater =
    row !== undefined &&
    isOfHistory(row, told) &&
    isBehind(told.resourceVersion, row.resourceVersion);
  const last = isKnownLater ? row : told;
  write(rowIn(last, { isDeleted: true }), state);
  return [happenedTo(last, { type: 'deleted', before: row, after: last })];
}

type Leaving = { readonly state: State; readonly place: Place };

/** A name that somebody else has now is no longer that of whoever had it, also where the new one is out of sight. */
function planLeaving(
  next: Row,
  row: Row | undefined,
  { state, place }: Leaving,
): readonly Happened[] {
  if (row === undefined) return isOvertaken(next, state) ? [] : planSuccession(next, state, place);
  if (row.isDeleted) return [];
  state.rows.delete(row.uid);
  state.names.delete(placeOf(row));
  state.written.delete(row.uid);
  state.forgotten.add(row.uid);
  return [happenedTo(next, { type: 'modified', before: row, after: next })];
}

function write(row: Row, state: State): void {
  state.rows.set(row.uid, row);
  state.written.add(row.uid);
  state.forgotten.delete(row.uid);
  if (!row.isDeleted) state.names.set(placeOf(row), row.uid);
  else if (state.names.get(placeOf(row)) === row.uid) state.names.delete(placeOf(row));
}

/** Without what nobody reads and what may be larger than all the rest. */
export function rowOf(object: KubeObject, { epoch, generation, keysOf }: Place): Row {
  const kept = mirroredForm(object);
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = object.metadata;
  const keys = keysOf(kept);
  const row = { uid, namespace, name, resourceVersion, epoch, generation, keys };
  return { ...row, object: kept, isDeleted: false };
}

/** Whoever a list did not show, and a look at the server did not find. */
export function planGone(gone: readonly Row[], place: Pick<Place, 'epoch'>): Plan {
  return {
    rows: gone.map((row) => rowIn(row, { ...place, isDeleted: true })),
    marked: [],
    forgotten: [],
    happened: gone.map((row) =>
      happenedTo(row, { type: 'deleted', before: row, after: undefined }),
    ),
  };
}
