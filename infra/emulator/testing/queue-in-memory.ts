import type { Buried, Queue } from '#events/queue.ts';
import { openTally } from '#events/tally.ts';
import type { After } from '#shared/runtime/periods.ts';
import { isInFlight, type QueueDecisions, queueDecisions, type Stored } from './queue/decisions.ts';
import { locksFor } from './queue/locks.ts';
import { receive } from './queue/receiving.ts';
import {
  bury,
  countDepth,
  deadOf,
  findHeld,
  functionsOf,
  keyOf,
  of,
  put,
  remove,
  replace,
  type Shelf,
  turnAt,
  waitingOf,
} from './queue/shelf.ts';
import { type Transaction, type Transactions, transactionsOn } from './queue/transactions.ts';
import { type Waiting, waitingOn } from './queue/waiting.ts';

export type QueueInMemory = Queue & {
  open(): Transaction;
  /** The same queue, as another process asks it: what it has in hand is its own. */
  as(process: string): Pick<Queue, 'receive'>;
};

export type QueueOptions = {
  readonly now: () => number;
  /** For waiting only: nothing happens by itself. */
  readonly after: After;
  readonly decisions?: Partial<QueueDecisions>;
};

type Parts = {
  readonly shelf: Shelf;
  readonly waiting: Waiting;
  readonly transactions: Transactions;
  readonly count: () => number;
};

/** The queue that others are measured by: nothing in it is left to chance, and ids are counted. */
export function queueInMemory(options: QueueOptions): QueueInMemory {
  const parts = partsOf(options);
  let isClosed = false;
  const receiver = (by: string): Pick<Queue, 'receive'> => ({
    receive: (receiving) => receive({ ...parts, by, isClosed: () => isClosed }, receiving),
  });
  return {
    open: parts.transactions.open,
    async send(messages) {
      const transaction = parts.transactions.open();
      try {
        await transaction.send(messages);
        transaction.commit();
      } finally {
        transaction.rollback();
      }
    },
    as: receiver,
    ...receiver('one'),
    ...endings(parts),
    ...overview(parts),
    ...returns(parts),
    async close() {
      isClosed = true;
      parts.waiting.wake();
    },
  };
}

function partsOf({ now, after, decisions }: QueueOptions): Parts {
  let counted = 0;
  const count = (): number => ++counted;
  const all = { ...queueDecisions, ...decisions };
  const locks = locksFor(all.waits);
  const waiting = waitingOn(after);
  const shelf: Shelf = {
    groups: new Map(),
    turns: new Map(),
    dead: new Map(),
    nowMs: now,
    decisions: all,
    isLocked: (key) => locks.holderOf(key) !== undefined,
  };
  const transactions = transactionsOn({ shelf, locks, count, wake: waiting.wake });
  return { shelf, waiting, transactions, count };
}

type Endings = Pick<Queue, 'extend' | 'settle' | 'release' | 'bury'>;

function endings({ shelf, waiting }: Parts): Endings {
  const end = (receipt: string, how: (stored: Stored) => void): boolean => {
    const stored = findHeld(shelf, receipt);
    if (stored === undefined) return false;
    how(stored);
    turnAt(shelf, keyOf(stored.message), shelf.nowMs());
    waiting.wake();
    return true;
  };
  return {
    async extend(receipt, visibilityMs) {
      const untilMs = shelf.nowMs() + visibilityMs;
      const stored = findHeld(shelf, receipt);
      if (stored === undefined) return false;
      const by = stored.hold?.by ?? '';
      replace(shelf, { ...stored, hold: { receipt, untilMs, by } });
      turnAt(shelf, keyOf(stored.message), untilMs);
      return true;
    },
    settle: async (receipts) =>
      receipts.map((receipt) => end(receipt, (stored) => remove(shelf, stored))),
    release: async (receipt) =>
      end(receipt, (stored) =>
        // Given back on purpose: that is no crash.
        replace(shelf, { ...stored, received: stored.received - 1, hold: undefined }),
      ),
    bury: async (receipt, why) => end(receipt, (stored) => bury(shelf, stored, why)),
  };
}

type Overview = Pick<Queue, 'depth' | 'peek' | 'listDead' | 'purgeDead'>;

function overview({ shelf }: Parts): Overview {
  return {
    depth: async (functions = functionsOf(shelf)) =>
      functions.map((name) => countDepth(shelf, name)),
    peek: async (name, max) =>
      of(shelf, name)
        .toSorted((one, other) => one.place - other.place)
        .slice(0, max)
        .map((stored) => waitingOf(stored, shelf.nowMs())),
    async listDead({ function: name, after, max }) {
      const dead = [...shelf.dead.values()];
      const from = dead.findIndex(({ stored }) => stored.id === after) + 1;
      return dead
        .slice(from)
        .filter(({ stored }) => name === undefined || stored.message.function === name)
        .slice(0, max)
        .map(deadOf);
    },
    async purgeDead(buried) {
      const tally = openTally(buried);
      const purged = chosen(shelf, buried).filter(({ stored }) => shelf.dead.delete(stored.id));
      tally.add(purged.map(({ stored }) => stored.id));
      return tally.taken();
    },
  };
}

function chosen({ dead }: Shelf, buried: Buried) {
  const isAll = 'function' in buried;
  return [...dead.values()].filter(({ stored }) =>
    isAll
      ? (buried.function ?? stored.message.function) === stored.message.function
      : buried.includes(stored.id),
  );
}

type Returns = Pick<Queue, 'redrive' | 'purge'>;

function returns({ shelf, transactions, count }: Parts): Returns {
  return {
    async redrive(buried) {
      const tally = openTally(buried);
      await transactions.alone(
        chosen(shelf, buried).map(({ stored }) => keyOf(stored.message)),
        () => {
          for (const { stored } of chosen(shelf, buried)) {
            shelf.dead.delete(stored.id);
            comeBack(shelf, stored, count());
            tally.add([stored.id]);
          }
        },
      );
      return { ...tally.taken(), stuck: [] };
    },
    async purge(name) {
      const keys = new Set(of(shelf, name).map(({ message }) => keyOf(message)));
      let purged = 0;
      await transactions.alone([...keys], () => {
        for (const key of keys) purged += purgeGroup(shelf, key);
      });
      return purged;
    },
  };
}

function comeBack(shelf: Shelf, stored: Stored, end: number): void {
  const key = keyOf(stored.message);
  const messages = shelf.groups.get(key) ?? [];
  const place = shelf.decisions.returnTo(messages, end);
  const back = { ...stored, place, received: 0, sentAtMs: shelf.nowMs(), hold: undefined };
  put(shelf, key, [...messages, back]);
}

/** What somebody holds stays: it is theirs to end. */
function purgeGroup(shelf: Shelf, key: string): number {
  const messages = shelf.groups.get(key) ?? [];
  const nowMs = shelf.nowMs();
  const kept = messages.filter((stored) => isInFlight(stored, nowMs));
  put(shelf, key, kept);
  return messages.length - kept.length;
}
