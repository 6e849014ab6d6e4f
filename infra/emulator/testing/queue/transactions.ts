import type { Outgoing, Sender } from '#events/queue.ts';
import { refuseUnsendable } from '#events/sendable.ts';
import type { Stored } from './decisions.ts';
import type { locksFor } from './locks.ts';
import { keyOf, put, replace, type Shelf } from './shelf.ts';

/** What it sends lies in the queue once it commits, in the order in which the groups' locks were taken. */
export type Transaction = Sender & { commit(): void; rollback(): void };

/** What a commit does to a group. */
type Step = { readonly kind: 'append' | 'merge'; readonly stored: Stored };

export type Transactions = {
  open(): Transaction;
  /** Whatever needs these groups for itself. */
  alone(keys: readonly string[], work: () => void): Promise<void>;
};

type Parts = {
  readonly shelf: Shelf;
  readonly locks: ReturnType<typeof locksFor>;
  /** Counts everything that needs a number. */
  readonly count: () => number;
  readonly wake: () => void;
};

export function transactionsOn(parts: Parts): Transactions {
  return {
    open: () => openOne(parts),
    async alone(keys, work) {
      const owner = parts.count();
      await parts.locks.take(keys, owner);
      work();
      parts.locks.give(owner);
      parts.wake();
    },
  };
}

function openOne(parts: Parts): Transaction {
  const owner = parts.count();
  let steps: readonly Step[] = [];
  let isOver = false;
  const end = (): void => {
    isOver = true;
    parts.locks.give(owner);
    parts.wake();
  };

  return {
    async send(messages) {
      refuseUnsendable(messages);
      await parts.locks.take(messages.map(keyOf), owner);
      if (isOver) {
        parts.locks.give(owner);
        throw new Error('the transaction is over');
      }
      for (const message of messages) steps = [...steps, planned(parts, steps, message)];
    },
    commit() {
      for (const step of isOver ? [] : steps) take(parts.shelf, step);
      end();
    },
    rollback: end,
  };
}

/** It sees what is committed, and what it sent itself. */
function planned({ shelf, count }: Parts, own: readonly Step[], message: Outgoing): Step {
  const nowMs = shelf.nowMs();
  const seen = new Map(
    [...(shelf.groups.get(keyOf(message)) ?? []), ...own.map(({ stored }) => stored)]
      .filter((stored) => keyOf(stored.message) === keyOf(message))
      .map((stored) => [stored.id, stored]),
  );
  const merged = shelf.decisions.merge([...seen.values()], message, nowMs);
  if (merged !== undefined) return { kind: 'merge', stored: merged };

  const place = count();
  const stored = { id: `m${place}`, place, message, received: 0, sentAtMs: nowMs };
  return { kind: 'append', stored };
}

function take(shelf: Shelf, { kind, stored }: Step): void {
  const key = keyOf(stored.message);
  const messages = shelf.groups.get(key) ?? [];
  if (kind === 'append') {
    put(shelf, key, [...messages, stored]);
    return;
  }
  // Somebody may hold it by now, if a decision was wrong: only what was merged is taken over.
  const now = messages.find(({ id }) => id === stored.id);
  if (now !== undefined) replace(shelf, { ...now, message: stored.message });
}
