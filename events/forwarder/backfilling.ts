import type { Row } from '#shared/domain/mirrored.ts';
import { indexRecord } from '#shared/domain/named-index.ts';
import type { Outgoing } from '../queue.ts';
import { sortedOut } from '../sendable.ts';
import { type Followed, fingerprintOf, type Subscription } from './followed.ts';
import { indexesOf } from './indexes.ts';
import { indexExisting } from './indexing.ts';
import type { Backfill, Transaction } from './ports.ts';
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
  for (const begun of unfinished(known, followed)) {
    if ((await wakeAll(begun, writer)) === 'fenced') return fenced;
  }
  return { ...stage, kind: 'watch' };
}

/**
 * Whoever is switched off here, or has another trigger, misses what happens from now on, and rows get no keys of other
 * indexes: back again, it counts as new. Said before anything else is written, since this writer may end at any moment.
 */
export async function disownStrangers(writer: Writer): Promise<'on' | 'fenced'> {
  const known = await writer.world.store.backfills(writer.term.scope);
  for (const left of strangers(known, writer.followed)) {
    const saved = await save({ ...left, fingerprint: '', isDone: false }, writer);
    if (saved === 'fenced') return 'fenced';
  }
  return 'on';
}

function strangers(known: readonly Backfill[], followed: Followed): readonly Backfill[] {
  const own = new Map([
    ...[...byFunction(followed)].map(([name, all]) => [name, fingerprintOf(all)] as const),
    [indexRecord, indexesOf(followed)] as const,
  ]);
  return known.filter(
    ({ function: name, fingerprint }) =>
      name !== versionRecord && fingerprint !== '' && fingerprint !== own.get(name),
  );
}

function unfinished(known: readonly Backfill[], followed: Followed): readonly Backfill[] {
  return [...byFunction(followed)].flatMap(([name, subscriptions]) => {
    const fingerprint = fingerprintOf(subscriptions);
    const found = known.find((each) => each.function === name);
    if (found?.fingerprint !== fingerprint) {
      return [{ function: name, fingerprint, after: '', isDone: false }];
    }
    return found.isDone ? [] : [found];
  });
}

function byFunction({ subscriptions }: Followed): ReadonlyMap<string, readonly Subscription[]> {
  return Map.groupBy(subscriptions, (each) => each.function);
}

async function save(backfill: Backfill, writer: Writer): Promise<'on' | 'fenced'> {
  const saved = await transact(writer, async (transaction) => {
    await transaction.setBackfill(backfill);
    return nothing;
  });
  return saved.kind === 'fenced' ? 'fenced' : 'on';
}

async function wakeAll(begun: Backfill, writer: Writer): Promise<'on' | 'fenced'> {
  const { world, term } = writer;
  let objects = 0;
  for (let at = begun; !at.isDone; ) {
    let next = at;
    const committed = await transact(writer, async (transaction) => {
      const { rows, isLast } = await transaction.page({
        after: at.after,
        max: world.pace.batchLimit,
      });
      const done = await sendAll(rows, { begun, writer, transaction });
      next = { ...at, after: rows.at(-1)?.uid ?? at.after, isDone: isLast };
      await transaction.setBackfill(next);
      objects += rows.length;
      return done;
    });
    if (committed.kind === 'fenced') return 'fenced';
    at = next;
  }
  world.tell({ kind: 'woke-existing', scope: term.scope, function: begun.function, objects });
  return 'on';
}

type Sending = {
  readonly begun: Backfill;
  readonly writer: Writer;
  readonly transaction: Transaction;
};

async function sendAll(
  rows: readonly Row[],
  { begun, writer: { world, followed }, transaction }: Sending,
): Promise<Done> {
  const own = followed.subscriptions.filter((each) => each.function === begun.function);
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
  for (const [name, subscriptions] of byFunction(followed)) {
    if (!subscriptions.every(({ watch }) => awaitsNew(watch))) continue;
    const fingerprint = fingerprintOf(subscriptions);
    await transaction.setBackfill({ function: name, fingerprint, after: '', isDone: true });
  }
}

/** Everybody was told of what exists: for whoever judges from outside when that is so. */
export function isWoken(known: readonly Backfill[], followed: Followed): boolean {
  return unfinished(known, followed).length === 0;
}
