import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cursor } from '#shared/domain/mirrored.ts';
import type { Listed, Watching } from '#shared/domain/watched.ts';
import { sayAllWoken } from './backfilling.ts';
import { restored } from './checking.ts';
import { commitListed } from './listed.ts';
import { planMissing } from './missing.ts';
import type { Seen } from './plan.ts';
import { readRows } from './reading.ts';
import { afterRefusal } from './refusals.ts';
import { fenced, type Stage, wait } from './stage.ts';
import { readStream } from './streaming.ts';
import { carryOut, nothing, scopeOf, transact, type Writer } from './writer.ts';

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
    return nothing;
  });
  if (begun.kind === 'fenced') return fenced;

  const read = await readAll(next, writer);
  if (read.kind !== 'complete') return read;
  return finish({ ...read, cursor: next, isFirst: cursor.generation === 0 }, writer);
}

type Listing = Extract<Stage, { readonly kind: 'list' }>;
export type Complete = {
  readonly kind: 'complete';
  readonly resourceVersion: string;
  readonly objects: number;
  /** As many of them had a row that another scope left: whoever is new here may not have been told of them. */
  readonly inherited: number;
  /** Goes on where the list ended. */
  readonly watching?: Watching;
};

/** As a stream where the server has that: it needs no page of its own memory then, and goes on as the watch. */
async function readAll(cursor: Cursor, writer: Writer): Promise<Complete | Stage> {
  const streamed = await readStream(cursor, writer);
  return streamed.kind === 'unsupported' ? readPages(cursor, writer) : streamed;
}

async function readPages(cursor: Cursor, writer: Writer): Promise<Complete | Stage> {
  const { stream, pace } = writer.world;
  let from: string | undefined;
  let limit = pace.pageLimit;
  let objects = 0;
  let inherited = 0;
  for (;;) {
    const options = { limit, continue: from, signal: writer.signal };
    const page = await stream.list(scopeOf(writer), options);
    if (page.kind !== 'page') return afterPage(page, cursor);

    const committed = await commitListed(writer, page.objects.map(listed), cursor);
    if (committed.kind === 'fenced') return fenced;
    if (committed.kind === 'went-back') return restored(cursor, writer);
    objects += page.objects.length;
    inherited += committed.inherited;
    limit = nextLimit(limit, page.bytes, pace.pageLimit);
    from = page.continue;
    const { resourceVersion } = page;
    if (from === undefined) return { kind: 'complete', resourceVersion, objects, inherited };
  }
}

function listed(object: KubeObject): Seen {
  return { kind: 'present', object };
}

/** Between two pages the list was compacted away: another one begins, after a pause that lets it be shorter. */
function afterPage(page: Exclude<Listed, { kind: 'page' }>, cursor: Cursor): Stage {
  return page.kind === 'expired' ? wait(page.why) : afterRefusal(page, cursor);
}

/** A page is parsed as a whole: of 50,000 objects the process then needs no more than of one page. */
const wantedBytes = 512 * 1024;

/** Large objects come in small pages, so that memory follows bytes. */
export function nextLimit(limit: number, bytes: number, most: number): number {
  if (bytes > wantedBytes) return Math.max(1, Math.floor((limit * wantedBytes) / bytes));
  return bytes < wantedBytes / 4 ? Math.min(most, limit * 2) : limit;
}

type Finishing = Complete & { readonly cursor: Cursor; readonly isFirst: boolean };

/** What no page showed is gone, or has left the scope; the last of these transactions moves the cursor. */
async function finish(list: Finishing, writer: Writer): Promise<Stage> {
  const { cursor, resourceVersion, objects, watching } = list;
  const { world, term } = writer;
  const done: Cursor = { ...cursor, at: { resourceVersion } };
  let { inherited } = list;
  let gone = 0;
  for (;;) {
    const { generation } = cursor;
    const unmarked = await readRows(writer, (transaction) =>
      transaction.unmarked({ generation, max: batch }),
    );
    if (unmarked === 'fenced') return fenced;
    const plan = await planMissing(unmarked, cursor, writer);
    if (plan === undefined) return wait('a look at what is missing was refused');
    gone += plan.rows.length;
    inherited += plan.marked.length;

    const isLast = unmarked.length < batch;
    const committed = await transact(writer, async (transaction) => {
      const carried = await carryOut(plan, { transaction, writer, cursor });
      if (isLast) await transaction.setCursor(done);
      if (isLast && list.isFirst && inherited === 0) await sayAllWoken(writer, transaction);
      return carried;
    });
    if (committed.kind === 'fenced') return fenced;
    if (isLast) break;
  }
  world.tell({ kind: 'listed', scope: term.scope, objects, gone });
  return { kind: 'wake-existing', cursor: done, ...(watching === undefined ? {} : { watching }) };
}

const batch = 500;
