import type { Stream, Transaction } from '#events/forwarder/ports.ts';
import { messageFor } from '#events/messages.ts';
import type { Outgoing } from '#events/queue.ts';
import type { Wakeup } from '#events/schedule.ts';
import type { StoreDecisions } from '#infra/emulator/testing/mirror/rivals.ts';
import type { MirrorShelf } from '#infra/emulator/testing/mirror/shelf.ts';
import type { QueueDecisions } from '#infra/emulator/testing/queue/decisions.ts';
import { queueDecisions } from '#infra/emulator/testing/queue/decisions.ts';
import type { ScheduleDecisions } from '#infra/emulator/testing/schedule-in-memory.ts';
import type { Row } from '#shared/domain/mirrored.ts';
import { scopeName } from '#shared/domain/watched.ts';
import { payloadOf } from './database/order.ts';
import { mishaps } from './mishaps.ts';

/** One wrong decision in the place of a right one; all the rest is as it is. */
export type Bug = {
  readonly queue?: Partial<QueueDecisions>;
  readonly schedule?: Partial<ScheduleDecisions>;
  readonly store?: StoreDecisions;
  /** What a worker puts on the schedule. */
  readonly putOff?: (wakeups: readonly Wakeup[]) => readonly Wakeup[];
  /** Whatever anybody sends. */
  readonly outgoing?: (messages: readonly Outgoing[], nowMs: number) => readonly Outgoing[];
  readonly stream?: (stream: Stream) => Stream;
  readonly transaction?: (transaction: Transaction, at: At) => Transaction;
};

type At = { readonly shelf: MirrorShelf; readonly scope: string };

const noBug: Bug = Object.freeze({});

/** Made anew for each schedule: some remember what they did. */
export const bugs = {
  'merged-while-claimed': () => ({
    queue: {
      merge: (messages, incoming) =>
        queueDecisions.merge(messages, incoming, Number.POSITIVE_INFINITY),
    },
  }),
  'sequence-as-commit-order': () => ({ queue: { waits: () => false } }),
  'delete-merged-with-recreate': () => ({
    outgoing: (messages) =>
      messages.map((message) =>
        message.subject === undefined ? message : { ...message, mergeKey: 'object' },
      ),
  }),
  'cursor-by-unfinished-list': cursorByPage,
  'filter-without-before': () => ({
    transaction: (transaction) => ({
      ...transaction,
      find: async (wanted) => (await transaction.find(wanted)).map(unlabelled),
    }),
  }),
  'fan-out-across-kinds': () => ({
    transaction: (transaction, { shelf }) => ({
      ...transaction,
      send: (messages) => transaction.send(messages.flatMap((each) => expanded(each, shelf))),
    }),
  }),
  'dead-letter-out-of-order': () => ({
    queue: {
      // Whoever came last goes first where somebody was buried.
      goOn: (messages, buried) => {
        const left = queueDecisions.goOn(messages, buried);
        return left.map((each, at) => (at === left.length - 1 ? { ...each, place: 0 } : each));
      },
    },
  }),
  'expired-receipt-settles': () => ({
    queue: { mayEnd: ({ hold }, receipt) => hold?.receipt === receipt },
  }),
  'period-overwritten-by-later': () => ({
    schedule: {
      name: ({ message }) => JSON.stringify([message.function, message.group, message.mergeKey]),
    },
  }),
  'event-id-deduplicates': deduplicating,
  'claim-ignores-rivals': () => ({ store: { rivalsOf: () => [] } }),
  'suspects-in-company': () => ({ queue: { isSuspect: () => false } }),
  'set-looked-at-once': () => ({
    putOff: (wakeups) => wakeups.filter((each) => !isLook(each)),
  }),
} as const satisfies Readonly<Record<string, () => Bug>>;

export function isLook({ message }: Wakeup): boolean {
  const payload = payloadOf(message.body);
  return payload.kind === 'set' && payload.again !== undefined;
}

export type BugName = keyof typeof bugs | keyof typeof mishaps;

export function isBug(name: string): name is BugName {
  return name in bugs || name in mishaps;
}

export function bugOf(name: BugName | undefined): Bug {
  return name === undefined ? noBug : { ...bugs, ...mishaps }[name]();
}

/** What is done of a list counts as done with all of it. */
function cursorByPage(): Bug {
  const listed = new Map<string, string>();
  return {
    stream: (stream) => ({
      ...stream,
      async list(scope, options) {
        const page = await stream.list(scope, options);
        if (page.kind === 'page') listed.set(scopeName(scope), page.resourceVersion);
        return page;
      },
    }),
    transaction: (transaction, { scope }) => ({
      ...transaction,
      setCursor(cursor) {
        const resourceVersion = listed.get(scope);
        const isEarly = cursor.at === 'listing' && resourceVersion !== undefined;
        return transaction.setCursor(isEarly ? { ...cursor, at: { resourceVersion } } : cursor);
      },
    }),
  };
}

function unlabelled(row: Row): Row {
  const { labels: _, ...metadata } = row.object.metadata;
  return { ...row, object: { ...row.object, metadata } };
}

/** A set by the rows that are to be seen from inside of the transaction. */
function expanded(message: Outgoing, { rows }: MirrorShelf): readonly Outgoing[] {
  const set = payloadOf(message.body);
  if (set.kind !== 'set') return [message];
  return [...rows.values()]
    .filter(({ row, resource }) => resource === set.resource && !row.isDeleted)
    .filter(({ row }) => row.namespace === set.namespace)
    .map(({ row: { namespace, name, uid } }) => {
      const { cluster, group, resource } = set;
      const at = { cluster, group, resource, namespace, name, uid };
      const payload = { kind: 'object', ...at, deleted: false } as const;
      return messageFor(message.function, payload, `${message.eventId}/${uid}`);
    });
}

const window = 300_000;

/** As SQS does it, if the event's id were the message's. */
function deduplicating(): Bug {
  const sent = new Map<string, number>();
  return {
    outgoing: (messages, nowMs) =>
      messages.filter(({ function: name, eventId }) => {
        const id = `${name} ${eventId}`;
        const isRepeated = nowMs - (sent.get(id) ?? Number.NEGATIVE_INFINITY) < window;
        if (!isRepeated) sent.set(id, nowMs);
        return !isRepeated;
      }),
  };
}
