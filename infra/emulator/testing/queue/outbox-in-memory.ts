import type { Outgoing } from '#events/queue.ts';
import { refuseUnsendable } from '#events/sendable.ts';
import type { Group, Outbox, Row, Unsent } from '#events/sqs-queue/outbox.ts';
import { queueDecisions } from './decisions.ts';
import { locksFor } from './locks.ts';
import { keyOf } from './shelf.ts';
import type { Transaction } from './transactions.ts';

export type OutboxInMemory = Outbox & { open(): Transaction };

type Shelved = {
  readonly rows: Map<string, Row>;
  readonly kept: Map<string, string>;
};

export function outboxInMemory({ now }: { readonly now: () => number }): OutboxInMemory {
  const locks = locksFor(queueDecisions.waits);
  const shelved: Shelved = { rows: new Map(), kept: new Map() };
  let counted = 0;
  let isRelaying = false;

  const open = (): Transaction => {
    const owner = ++counted;
    const sent: Row[] = [];
    return {
      async send(messages) {
        refuseUnsendable(messages);
        await locks.take(messages.map(keyOf), owner);
        sent.push(...messages.map((message) => rowFor(message, ++counted, now())));
      },
      commit() {
        for (const row of sent.splice(0)) shelved.rows.set(row.id, row);
        locks.give(owner);
      },
      rollback: () => locks.give(owner),
    };
  };

  return {
    open,
    async add(messages) {
      const transaction = open();
      await transaction.send(messages);
      transaction.commit();
    },
    async alone(work) {
      if (isRelaying) return undefined;
      isRelaying = true;
      try {
        return await work(unsentOn(shelved));
      } finally {
        isRelaying = false;
      }
    },
    async unsent(name) {
      const ages = of(shelved, name).map(({ sentAtMs }) => (now() - sentAtMs) / 1_000);
      return { count: ages.length, oldestSeconds: Math.max(0, ...ages) };
    },
    async purge(name) {
      return of(shelved, name).filter(({ id }) => shelved.rows.delete(id)).length;
    },
    bodies: {
      find: async (id) => shelved.kept.get(id) ?? shelved.rows.get(id)?.body,
      async drop(ids) {
        for (const id of ids) {
          shelved.kept.delete(id);
          shelved.rows.delete(id);
        }
      },
    },
  };
}

function unsentOn({ rows, kept }: Shelved): Unsent {
  return {
    async take({ max, except, exceptFunctions = [] }) {
      const passed = new Set(except.map((group: Group) => keyOf(group)));
      const first = [...rows.values()].filter((row) => {
        const isFirst = !passed.has(keyOf(row)) && !exceptFunctions.includes(row.function);
        passed.add(keyOf(row));
        return isFirst;
      });
      return first.slice(0, max);
    },
    async accepted(ids) {
      for (const id of ids.kept) {
        const row = rows.get(id);
        if (row !== undefined) kept.set(id, row.body);
      }
      for (const id of [...ids.gone, ...ids.kept]) rows.delete(id);
    },
  };
}

function rowFor(message: Outgoing, place: number, sentAtMs: number): Row {
  return { ...message, id: `m${`${place}`.padStart(9, '0')}`, sentAtMs };
}

function of({ rows }: Shelved, name: string): readonly Row[] {
  return [...rows.values()].filter((row) => row.function === name);
}
