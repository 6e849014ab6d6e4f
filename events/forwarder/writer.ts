import {
  type Cursor,
  isLeftUnread,
  LeftUnread,
  placeOf,
  type Row,
  type Term,
} from '#shared/domain/mirrored.ts';
import type { Scope } from '#shared/domain/watched.ts';
import type { Outgoing } from '../queue.ts';
import { sortedOut, type Unsent } from '../sendable.ts';
import type { Followed } from './followed.ts';
import { keysOf } from './indexes.ts';
import { asksWhatWas, knownOf } from './known.ts';
import type { Memory } from './memory.ts';
import { type Place, type Plan, planChanges } from './plan.ts';
import type { How, Transaction } from './ports.ts';
import type { Seen } from './seen.ts';
import { wakesOf } from './wakes.ts';
import type { World } from './world.ts';

/** Whoever has the term of a scope, while they have it. */
export type Writer = {
  readonly world: World;
  readonly followed: Followed;
  readonly term: Term;
  /** Ends with the term, and with the process. */
  readonly signal: AbortSignal;
  readonly memory: Memory;
};

/** What it follows, in the version that the server has by now. */
export function servedScope({ followed: { scope }, memory: { served } }: Writer): Scope {
  return served === undefined ? scope : { ...scope, kind: served };
}

/** A plan that was carried out, and the messages that it made; those that nobody can send are told. */
export type Done = Plan & {
  readonly sent: readonly Outgoing[];
  readonly unsent: readonly Unsent[];
};

export type Committed =
  | { readonly kind: 'committed'; readonly plan: Plan }
  | { readonly kind: 'fenced' };

/** What the cluster said, the messages that it makes, and how far that is: all or nothing. */
export async function commitSeen(
  writer: Writer,
  seen: readonly Seen[],
  cursor: Cursor,
  how: How = 'alone',
): Promise<Committed> {
  const work = async (transaction: Transaction) => {
    const write = async (withoutObjects: boolean) => {
      const known = await knownOf(seen, transaction, { withoutObjects });
      return writeSeen({ seen, known }, { transaction, writer, cursor });
    };
    if (asksWhatWas(writer.followed)) return write(false);
    return write(true).catch((cause: unknown) => {
      // Who died unseen leaves what it was last; and a line that is told again is compared with what is known.
      if (cause instanceof LeftUnread) return write(false);
      throw cause;
    });
  };
  return transact(writer, work, how);
}

type News = { readonly seen: readonly Seen[]; readonly known: readonly Row[] };

/** Where an object is asked for that was left unread, nothing has been written yet. */
export async function writeSeen({ seen, known }: News, carrying: Carrying): Promise<Done> {
  const { transaction, writer, cursor } = carrying;
  const plan = planChanges(seen, known, placeIn(writer.followed, cursor));
  const unread = plan.rows.find(isLeftUnread);
  if (unread !== undefined) throw new LeftUnread(`what ${placeOf(unread)} was is to be kept`);
  const done = await carryOut(plan, carrying);
  await transaction.setCursor(cursor);
  return done;
}

export async function transact(
  { world, term }: Writer,
  work: (transaction: Transaction) => Promise<Done>,
  how: How = 'alone',
): Promise<Committed> {
  const done = await world.store.transact(term, work, how);
  if (done.kind === 'fenced') return done;

  const { sent, unsent, ...plan } = done.value;
  for (const each of unsent) world.tell({ kind: 'unsent', scope: term.scope, ...each });
  world.tell({ kind: 'committed', scope: term.scope, plan, sent });
  return { kind: 'committed', plan };
}

type Carrying = {
  readonly transaction: Transaction;
  readonly writer: Writer;
  readonly cursor: Cursor;
};

export async function carryOut(
  plan: Plan,
  { transaction, writer: { world, followed }, cursor }: Carrying,
): Promise<Done> {
  const { rows, marked, forgotten, happened } = plan;
  const { sent, unsent } = sortedOut(
    happened.flatMap((each) =>
      followed.subscriptions.flatMap((subscription) =>
        wakesOf(each, subscription, world.cluster).map((message) => ({ of: each, message })),
      ),
    ),
  );
  // On one way there, in this order. First: who left under a name that somebody else has by now was not deleted.
  await Promise.all([
    forgotten.length > 0 && transaction.forget(forgotten),
    rows.length > 0 && transaction.write(rows),
    marked.length > 0 && transaction.mark(marked, cursor.generation),
    sent.length > 0 && transaction.send(sent),
  ]);
  return { ...plan, sent, unsent };
}

function placeIn({ subscriptions }: Followed, { epoch, generation }: Cursor): Place {
  return { epoch, generation, keysOf: (object) => keysOf(object, subscriptions) };
}

export const nothing: Done = Object.freeze({
  rows: [],
  marked: [],
  forgotten: [],
  happened: [],
  sent: [],
  unsent: [],
});
