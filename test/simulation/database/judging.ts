import { isDeepStrictEqual } from 'node:util';
import { type MirrorShelf, watchKey } from '#infra/emulator/testing/mirror/shelf.ts';
import { kindOfScope } from '#shared/adapters/database/scope-kind.ts';
import { namespaces } from '#shared/domain/kind.ts';
import type { Row, Term } from '#shared/domain/mirrored.ts';
import { isLater } from '#shared/domain/watched.ts';
import { clusterName } from '../cast.ts';
import type { Database } from './database.ts';
import { objectRun } from './ledger.ts';

/** The rows of a scope's kind by uid, as they are committed. */
export type Rows = ReadonlyMap<string, Row>;

export function rowsOf({ rows }: MirrorShelf, scope: string): Rows {
  const { resource } = kindOfScope(scope);
  const own = [...rows.values()].filter((stored) => stored.resource === resource);
  return new Map(own.map(({ row }) => [row.uid, row]));
}

type Committed = { readonly term: Term; readonly before: Rows };
type Step = { readonly before: Row | undefined; readonly after: Row | undefined };

/** In the moment of the commit: what it changed, whether it may, and whom that must wake. */
export function judgeCommit(database: Database, { term, before }: Committed): void {
  const { shelf, ledger } = database;
  const stored = shelf.watches.get(watchKey({ cluster: clusterName, scope: term.scope }));
  if (stored?.term !== term.number || stored.holder !== term.holder) {
    ledger.break('fenced', `${term.holder} wrote ${term.scope} after its term ${term.number}`);
  }
  const after = rowsOf(shelf, term.scope);
  for (const uid of new Set([...before.keys(), ...after.keys()])) {
    const step = { before: before.get(uid), after: after.get(uid) };
    if (step.before === step.after) continue;
    judgeOrder(database, uid, step);
    if (isNews(step)) oweRuns(database, uid, step);
  }
}

function judgeOrder({ ledger }: Database, uid: string, { before, after }: Step): void {
  if (before === undefined || after === undefined) return;
  const isSame = before.epoch === after.epoch;
  const isBack =
    after.epoch < before.epoch ||
    (isSame && isLater(before.resourceVersion, after.resourceVersion)) ||
    (isSame && before.isDeleted && !after.isDeleted);
  if (!isBack) return;
  ledger.break('backwards', `${uid} went from ${shown(before)} to ${shown(after)}`);
}

function shown({ epoch, resourceVersion, isDeleted }: Row): string {
  return `${isDeleted ? 'deleted ' : ''}version ${resourceVersion} of epoch ${epoch}`;
}

function isNews({ before, after }: Step): boolean {
  if (before === undefined || after === undefined) return true;
  return before.isDeleted !== after.isDeleted || !isSameObject(before, after);
}

/** Its version alone is news to nobody. */
function isSameObject(one: Row, other: Row): boolean {
  return one.object === other.object || isDeepStrictEqual(one.object, other.object);
}

/** Who must run, told from the rows alone and not from what the forwarder made of them. */
function oweRuns(database: Database, uid: string, step: Step): void {
  const last = step.after ?? step.before;
  if (last?.object.kind === namespaces.kind) oweForNamespace(database, uid, step);
  else oweForWidget(database, uid, step);
}

function oweForWidget({ ledger }: Database, uid: string, step: Step): void {
  const isDeleted = step.after?.isDeleted === true;
  const sentence = isDeleted ? 'deletion' : 'wake';
  const what = isDeleted ? `the tombstone of ${uid}` : `a change of ${uid}`;
  ledger.owe(objectRun('follow', uid, isDeleted), sentence, what);
  const [was, is] = labelsOf(step, 'tier');
  if ((was !== 'web' && is !== 'web') || !concernsWebs(step)) return;
  ledger.owe(objectRun('webs', uid, isDeleted), is === 'web' ? sentence : 'filter', what);
}

function concernsWebs({ before, after }: Step): boolean {
  if (before === undefined || before.isDeleted || after === undefined || after.isDeleted)
    return true;
  return (
    !isDeepStrictEqual(before.object['spec'], after.object['spec']) ||
    !isDeepStrictEqual(before.object.metadata.labels, after.object.metadata.labels)
  );
}

function oweForNamespace({ ledger, namespacesChanged }: Database, uid: string, step: Step): void {
  const { before, after } = step;
  const isDeleted = after?.isDeleted === true;
  const [was, is] = labelsOf(step, 'team');
  if (was === 'a' || is === 'a') {
    const sentence = is === 'a' ? 'wake' : 'filter';
    ledger.owe(objectRun('teams', uid, isDeleted), sentence, `a change of namespace ${uid}`);
  }
  if (before?.isDeleted !== after?.isDeleted || was !== is) {
    const { uids } = { uids: 0, ...(after?.object['spec'] as object | undefined) };
    namespacesChanged.set((after ?? before)?.name ?? '', { count: ledger.count, uids });
  }
}

/**
 * Before and after. What was deleted before matched nothing any more. What is deleted now matches by its last labels
 * alone: where it lost another one in the same transaction, that was an event of its own, which is merged into this.
 */
function labelsOf({ before, after }: Step, label: string): readonly (string | undefined)[] {
  const was = before?.isDeleted || after?.isDeleted ? undefined : before;
  return [was, after].map((row) => row?.object.metadata.labels?.[label]);
}
