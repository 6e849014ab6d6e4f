import type { Backfill, Row } from '#shared/domain/mirrored.ts';
import { indexRecord } from '#shared/domain/named-index.ts';
import type { Outgoing } from '../queue.ts';
import { sortedOut } from '../sendable.ts';
import { type Followed, type Subscription, triggersOf } from './followed.ts';
import { indexesOf } from './indexes.ts';
import { indexExisting } from './indexing.ts';
import { type Owed, onceMoreRecord, owedOnceMore, stillOwed } from './once-more.ts';
import type { Transaction } from './ports.ts';
import { isOfOtherVersion, versionRecord } from './reshaping.ts';
import { fenced, type Stage } from './stage.ts';
import { awaitsNew, wakesOf } from './wakes.ts';
import { type Done, nothing, transact, type Writer } from './writer.ts';

type Waking = Extract<Stage, { readonly kind: 'wake-existing' }>;

/** A function that is new here, or whose trigger is, learns of everything that exists, in pages. */
export async function wakeExisting(stage: Waking, writer: Writer): Promise<Stage> {
  const { world, followed, term } = writer;
  const known = await world.store.backfills(term.scope);
  if (isOfOtherVersion(known, writer)) {
    return { kind: 'list', cursor: stage.cursor, why: 'its rows are of another version' };
  }
  if ((await indexExisting(known, writer)) === 'fenced') return fenced;
  for (const record of unfinished(known, followed)) {
    if ((await wakeAll({ function: record.function, record }, writer)) === 'fenced') return fenced;
  }
  remember(known, writer);
  return { ...stage, kind: 'watch' };
}

/** Of a new process, and of a trigger that is newer, it begins again: it may only become longer. */
function remember(known: readonly Backfill[], { world, followed, memory }: Writer): void {
  const since = unfinished(known, followed).length > 0 ? undefined : memory.onceMoreAt;
  const at = since ?? world.now() + world.pace.settleMs;
  memory.onceMoreAt = stillOwed(known, followed).length > 0 ? at : undefined;
}

/** Between two batches: when everybody has had time to hear of a trigger that is another one, all that exists is told again. */
export async function wakeOnceMore(writer: Writer): Promise<'on' | 'fenced'> {
  const { world, term, followed, memory } = writer;
  if (memory.onceMoreAt === undefined || world.now() < memory.onceMoreAt) return 'on';
  const known = await world.store.backfills(term.scope);
  for (const owed of stillOwed(known, followed)) {
    if ((await wakeAll(owed, writer)) === 'fenced') return 'fenced';
  }
  memory.onceMoreAt = undefined;
  return 'on';
}

/**
 * Whoever is switched off here, or has another trigger, misses what happens from now on, and rows get no keys of other
 * indexes: back again, it counts as new. Said before anything else is written, since this writer may end at any moment.
 */
export async function disownStrangers(writer: Writer): Promise<'on' | 'fenced'> {
  const known = await writer.world.store.backfills(writer.term.scope);
  const left = strangers(known, writer.followed);
  const disowned = left.map((each) => ({ ...each, fingerprint: '', isDone: false }));
  for (const record of [...disowned, ...owedOnceMore(known, writer)]) {
    if ((await save(record, writer)) === 'fenced') return 'fenced';
  }
  return 'on';
}

function strangers(known: readonly Backfill[], followed: Followed): readonly Backfill[] {
  const own = new Map([
    ...[...triggersOf(followed)].flatMap(([name, fingerprint]) => [
      [name, fingerprint] as const,
      [onceMoreRecord(name), fingerprint] as const,
    ]),
    [indexRecord, indexesOf(followed)] as const,
  ]);
  return known.filter(
    ({ function: name, fingerprint }) =>
      name !== versionRecord && fingerprint !== '' && fingerprint !== own.get(name),
  );
}

function unfinished(known: readonly Backfill[], followed: Followed): readonly Backfill[] {
  return [...triggersOf(followed)].flatMap(([name, fingerprint]) => {
    const found = known.find((each) => each.function === name);
    if (found?.fingerprint !== fingerprint) {
      return [{ function: name, fingerprint, after: '', isDone: false }];
    }
    return found.isDone ? [] : [found];
  });
}

async function save(backfill: Backfill, writer: Writer): Promise<'on' | 'fenced'> {
  const saved = await transact(writer, async (transaction) => {
    await transaction.setBackfill(backfill);
    return nothing;
  });
  return saved.kind === 'fenced' ? 'fenced' : 'on';
}

async function wakeAll(
  { function: woken, record }: Owed,
  writer: Writer,
): Promise<'on' | 'fenced'> {
  const { world, term } = writer;
  let objects = 0;
  for (let at = record; !at.isDone; ) {
    let next = at;
    const committed = await transact(writer, async (transaction) => {
      const { rows, isLast } = await transaction.page({
        after: at.after,
        max: world.pace.batchLimit,
      });
      const done = await sendAll(rows, { woken, writer, transaction });
      next = { ...at, after: rows.at(-1)?.uid ?? at.after, isDone: isLast };
      await transaction.setBackfill(next);
      objects += rows.length;
      return done;
    });
    if (committed.kind === 'fenced') return 'fenced';
    at = next;
  }
  world.tell({ kind: 'woke-existing', scope: term.scope, function: woken, objects });
  return 'on';
}

type Sending = {
  readonly woken: string;
  readonly writer: Writer;
  readonly transaction: Transaction;
};

async function sendAll(
  rows: readonly Row[],
  { woken, writer: { world, followed }, transaction }: Sending,
): Promise<Done> {
  const own = followed.subscriptions.filter((each) => each.function === woken);
  const { sent, unsent } = sortedOut(
    rows.flatMap((row) =>
      own.flatMap((each) =>
        ofExisting(row, each, world.cluster).map((message) => ({ of: row, message })),
      ),
    ),
  );
  if (sent.length > 0) await transaction.send(sent);
  return { ...nothing, sent, unsent };
}

/** Whatever kinds of change it waits for: that the object is there is what it does not know yet. */
function ofExisting(
  { object, namespace, name, uid, resourceVersion }: Row,
  { function: woken, watch: { on: _, ...watch } }: Subscription,
  cluster: string,
): readonly Outgoing[] {
  const eventId = `${uid}/${resourceVersion}/existing`;
  const happened = { type: 'added', before: undefined, after: object } as const;
  return wakesOf(
    { ...happened, namespace, name, uid, eventId },
    { function: woken, watch },
    cluster,
  );
}

/** The first list, where it met no row before it, was news to everybody: only those who do not wait for additions have yet to hear of it. */
export async function sayAllWoken({ followed }: Writer, transaction: Transaction): Promise<void> {
  for (const [name, fingerprint] of triggersOf(followed)) {
    const own = followed.subscriptions.filter((each) => each.function === name);
    if (!own.every(({ watch }) => awaitsNew(watch))) continue;
    await transaction.setBackfill({ function: name, fingerprint, after: '', isDone: true });
  }
}

/** Everybody was told of what exists: for whoever judges from outside when that is so. */
export function isWoken(known: readonly Backfill[], followed: Followed): boolean {
  return unfinished(known, followed).length === 0;
}
