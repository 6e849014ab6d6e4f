import type { Outgoing } from '#events/queue.ts';
import type { Schedule } from '#events/schedule.ts';
import { type MirrorShelf, mirrorShelf } from '#infra/emulator/testing/mirror/shelf.ts';
import { type QueueInMemory, queueInMemory } from '#infra/emulator/testing/queue-in-memory.ts';
import type { Bug } from '../bugs.ts';
import type { Faults } from '../faults.ts';
import { outage } from '../outage.ts';
import type { Process, Stage } from '../stage.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { type Order, openOrder } from './order.ts';
import { openReceipts, type Receipts } from './receipts.ts';
import { openWakeups, type Wakeups } from './wakeups.ts';

/** Postgres, as all processes see it, and what is written down about it. */
export type Database = {
  readonly stage: Stage;
  readonly faults: Faults;
  readonly bug: Bug;
  readonly shelf: MirrorShelf;
  readonly queue: QueueInMemory;
  readonly schedule: Schedule;
  readonly ledger: Ledger;
  readonly order: Order;
  readonly receipts: Receipts;
  readonly wakeups: Wakeups;
  /** By name, the count at which the labels of a namespace changed last, and how many uids there had been by then. */
  readonly namespacesChanged: Map<string, { readonly count: number; readonly uids: number }>;
  /** Until then it answers nobody. */
  awayUntil: number;
  /** What a process has open, to be rolled back when it dies. */
  readonly connections: Map<Process, Set<() => void>>;
  /** One transaction that only sends. */
  open(): Sending;
};

export type Sending = {
  send(messages: readonly Outgoing[]): Promise<void>;
  commit(): void;
  rollback(): void;
};

type Given = Pick<Database, 'stage' | 'faults' | 'bug'>;

export function openDatabase({ stage, faults, bug }: Given): Database {
  const now = stage.now;
  const ledger = openLedger();
  const order = openOrder(ledger);
  const receipts = openReceipts({ now, ledger });
  const wakeups = openWakeups();
  // Nobody waits inside of the queue: who would is parked.
  const queue = queueInMemory({ now, after: () => () => {}, decisions: bug.queue ?? {} });
  const open = (): Sending => observed({ queue, order, receipts, bug, now });
  const sender = {
    async send(messages: readonly Outgoing[]) {
      const sending = open();
      await sending.send(messages);
      sending.commit();
    },
  };
  const schedule = wakeups.schedule({ now, queue: sender, decisions: bug.schedule ?? {} });
  const written = { ledger, order, receipts, wakeups };
  const parts = { stage, faults, bug, shelf: mirrorShelf(), queue, schedule, ...written };
  return { ...parts, open, namespacesChanged: new Map(), awayUntil: 0, connections: new Map() };
}

type Observed = Pick<Database, 'queue' | 'order' | 'receipts' | 'bug'> & { now: () => number };

/** Each message has a mark of its own, and the order of the marks is that of the commits. */
function observed({ queue, order, receipts, bug, now }: Observed): Sending {
  const transaction = queue.open();
  const sent: Outgoing[] = [];
  return {
    async send(messages) {
      const kept = bug.outgoing?.(messages, now()) ?? messages;
      const marked = kept.map(order.marked);
      sent.push(...marked);
      await transaction.send(marked);
    },
    commit() {
      transaction.commit();
      order.committed(sent);
      receipts.changed();
    },
    rollback: transaction.rollback,
  };
}

type Statement<T> = {
  readonly by: Process;
  readonly what: string;
  readonly run: () => T | Promise<T>;
  readonly isReady?: () => boolean;
  readonly wakesAt?: () => number;
};

/** One statement by itself: it may fail, or be carried out while its answer is lost. */
export function ask<T>(database: Database, { run, ...statement }: Statement<T>): Promise<T> {
  const { stage, faults } = database;
  return stage.park({
    ...statement,
    answer: async () => {
      refuseAway(database);
      const isUnanswered = faults.strikes('call-unanswered', 0.03);
      const answer = await run();
      if (isUnanswered) throw outage('done, but nobody heard of it');
      return answer;
    },
  });
}

export function refuseAway({ stage, awayUntil }: Database): void {
  if (stage.now() < awayUntil) throw outage('the database is away');
}

export function connect({ connections }: Database, by: Process, close: () => void): void {
  const open = connections.get(by) ?? new Set();
  connections.set(by, open.add(close));
}
