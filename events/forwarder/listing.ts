import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cursor } from '#shared/domain/mirrored.ts';
import { sayAllWoken } from './backfilling.ts';
import { isSelected } from './followed.ts';
import { type Complete, commitListed } from './listed.ts';
import { planMissing } from './missing.ts';
import { allShown, oneByOne, type Settled, settleOutOfSight } from './out-of-sight.ts';
import { afterDeclined, readPages } from './pages.ts';
import { planGone } from './plan.ts';
import { readWhileOurs } from './read-while-ours.ts';
import { afterLook, isRefused, tellForbidden } from './refusals.ts';
import { sayVersion } from './reshaping.ts';
import type { Seen } from './seen.ts';
import { fenced, type Stage } from './stage.ts';
import { readStream } from './streaming.ts';
import { carryOut, nothing, servedScope, transact, type Writer } from './writer.ts';

/**
 * A list is a generation: its pages mark what they show, and only after the last one is known what is gone. Until then
 * the cursor says `listing`, so that whoever comes after a crash begins another one.
 */
export async function listAll(stage: Listing, writer: Writer): Promise<Stage> {
  const { cursor, why } = stage;
  const next: Cursor = { ...cursor, generation: cursor.generation + 1, at: 'listing' };
  writer.world.tell({ kind: 'listing', scope: writer.term.scope, why });
  const begun = await transact(writer, async (transaction) => {
    await transaction.setCursor(next);
    await sayVersion(writer, transaction);
    return nothing;
  });
  if (begun.kind === 'fenced') return fenced;

  const read = await readAll(next, writer);
  if (read.kind !== 'complete') return read;
  const finished = await finish(
    { ...read, cursor: next, isFirst: cursor.generation === 0 },
    writer,
  );
  // Nobody else would, while this turn goes on.
  if (finished.kind !== 'wake-existing') read.watching?.close();
  return finished;
}

type Listing = Extract<Stage, { readonly kind: 'list' }>;

/** As a stream where the server has that: it needs no page of its own memory then, and goes on as the watch. */
async function readAll(cursor: Cursor, writer: Writer): Promise<Complete | Stage> {
  const streamed = await readStream(cursor, writer);
  return streamed.kind === 'unsupported' ? listPages(cursor, writer) : streamed;
}

async function listPages(cursor: Cursor, writer: Writer): Promise<Complete | Stage> {
  const take = (objects: readonly KubeObject[], alone: readonly Seen[]) =>
    commitListed(writer, [...objects.map(listed), ...alone], cursor);
  const read = await readPages({ scope: servedScope(writer), cursor, take }, writer);
  if (read.kind === 'declined') {
    tellForbidden(read.refused, writer);
    return afterDeclined(read, cursor);
  }
  return read.kind === 'read' ? { ...read, kind: 'complete' } : read;
}

function listed(object: KubeObject): Seen {
  return { kind: 'present', object };
}

type Finishing = Complete & { readonly cursor: Cursor; readonly isFirst: boolean };

/** What no page showed is gone, or has left the scope; the last of these transactions moves the cursor. */
async function finish(list: Finishing, writer: Writer): Promise<Stage> {
  const { cursor, resourceVersion, objects, watching } = list;
  const many = await settleMany(cursor, writer);
  if (many.kind !== 'settled') return many;
  let inherited = list.inherited + many.inherited;
  let gone = 0;
  for (let isLast = false; !isLast; ) {
    const rest = { ...list, inherited, isComplete: many.isComplete };
    const settled = await settleBatch(rest, writer);
    if (settled.kind !== 'batch') return settled;
    inherited = settled.inherited;
    gone += settled.gone;
    isLast = settled.isLast;
  }
  writer.memory.failures = 0;
  writer.world.tell({ kind: 'listed', scope: writer.term.scope, objects, gone });
  const done: Cursor = { ...cursor, at: { resourceVersion } };
  return { kind: 'wake-existing', cursor: done, ...(watching === undefined ? {} : { watching }) };
}

type Batch = {
  readonly kind: 'batch';
  readonly isLast: boolean;
  readonly gone: number;
  readonly inherited: number;
};

async function settleBatch(
  rest: Finishing & Pick<Settled, 'isComplete'>,
  writer: Writer,
): Promise<Batch | Stage> {
  const { cursor, resourceVersion } = rest;
  const { generation } = cursor;
  const max = writer.world.pace.batchLimit;
  const unmarked = await readWhileOurs(writer, (transaction) =>
    transaction.unmarked({ generation, max }),
  );
  if (unmarked === 'fenced') return fenced;
  const { rows, isLast } = unmarked;
  const plan = rest.isComplete ? planGone(rows, cursor) : await planMissing(rows, cursor, writer);
  if (isRefused(plan)) return afterLook(plan, writer);

  const inherited = rest.inherited + plan.marked.length;
  const committed = await transact(writer, async (transaction) => {
    const carried = await carryOut(plan, { transaction, writer, cursor });
    if (isLast) await transaction.setCursor({ ...cursor, at: { resourceVersion } });
    if (isLast && rest.isFirst && inherited === 0) await sayAllWoken(writer, transaction);
    return carried;
  });
  if (committed.kind === 'fenced') return fenced;
  return { kind: 'batch', isLast, gone: plan.rows.length, inherited };
}

/** Few are looked at one by one. */
async function settleMany(cursor: Cursor, writer: Writer): Promise<Settled | Stage> {
  if (!isSelected(servedScope(writer))) return allShown;
  const { generation } = cursor;
  const max = writer.world.pace.batchLimit;
  const count = await readWhileOurs(writer, (transaction) =>
    transaction.countUnmarked({ generation, max }),
  );
  if (count === 'fenced') return fenced;
  return count < max ? oneByOne : settleOutOfSight(cursor, writer);
}
