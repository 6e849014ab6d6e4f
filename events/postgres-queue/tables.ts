import { isNotNull } from 'drizzle-orm';
import {
  bigint,
  boolean,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';

/** Ordered by its bytes on every server: locks are taken in one order by everybody. */
const ascii = customType<{ data: string }>({ dataType: () => 'text collate "C"' });

const moment = (name: string) => timestamp(name, { withTimezone: true }).notNull();
const whole = (name: string) => bigint(name, { mode: 'bigint' }).notNull();
const identity = () => bigint('id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity();

const address = () => ({
  function: ascii('function').notNull(),
  /** The group. */
  key: ascii('key').notNull(),
});

const message = () => ({
  type: text('type').notNull(),
  body: text('body').notNull(),
  eventId: text('event_id').notNull(),
  /** The uid of an object, whose tombstone stays while a row of any table here names it. */
  subject: ascii('subject'),
  attempt: integer('attempt').notNull(),
});

/**
 * The unit that is locked, claimed and settled. All that a claim or a settle decides on stands in this very row:
 * a statement that waited for its lock sees the row's new version, and of other tables what was before.
 */
export const queueGroups = pgTable(
  'queue_groups',
  {
    /** Another one with each row, so that no receipt outlives its group. */
    id: identity(),
    ...address(),
    /** Its messages stand at the positions from `head` to `tail`, without gaps. */
    head: whole('head'),
    tail: whole('tail'),
    /** From when on it may be claimed: in the future while somebody holds it. */
    visibleAt: moment('visible_at'),
    isClaimed: boolean('is_claimed').notNull().default(false),
    /** Of the last claim, drawn at random: with the id, the receipt. Before the first one -1, and 0 once somebody else has sent to it. */
    claims: integer('claims').notNull().default(0),
    /** How often the message at `head` was received. */
    received: integer('received').notNull().default(0),
  },
  (row) => [
    uniqueIndex('queue_groups_function_key').on(row.function, row.key),
    index('queue_groups_function_visible_at').on(row.function, row.visibleAt),
  ],
);

export const queueMessages = pgTable(
  'queue_messages',
  {
    groupId: whole('group_id'),
    position: whole('position'),
    ...message(),
    mergeKey: text('merge_key'),
    createdAt: moment('created_at'),
  },
  (row) => [
    primaryKey({ columns: [row.groupId, row.position] }),
    index('queue_messages_merge_key').on(row.groupId, row.mergeKey).where(isNotNull(row.mergeKey)),
    index('queue_messages_subject').on(row.subject).where(isNotNull(row.subject)),
  ],
);

export const queueDead = pgTable(
  'queue_dead',
  {
    id: identity(),
    ...address(),
    ...message(),
    mergeKey: text('merge_key'),
    received: integer('received').notNull(),
    why: text('why').notNull(),
    buriedAt: moment('buried_at'),
  },
  (row) => [
    index('queue_dead_function').on(row.function, row.id),
    index('queue_dead_subject').on(row.subject).where(isNotNull(row.subject)),
  ],
);

/** Who may be asleep and wants a NOTIFY. A row of somebody who died costs needless ones until its time is over. */
export const queueSleepers = pgTable('queue_sleepers', {
  id: identity(),
  untilAt: moment('until_at'),
});

/** What the relay hands to SQS. Within a group, ids go up in the order of commits. */
export const outbox = pgTable(
  'outbox',
  {
    id: identity(),
    ...address(),
    ...message(),
    createdAt: moment('created_at'),
    /** SQS has the message but not its body, which is too long and stays here until it is settled. */
    sentAt: timestamp('sent_at', { withTimezone: true }),
  },
  (row) => [
    index('outbox_subject').on(row.subject).where(isNotNull(row.subject)),
    index('outbox_sent_at').on(row.sentAt).where(isNotNull(row.sentAt)),
  ],
);

export const wakeups = pgTable(
  'wakeups',
  {
    ...address(),
    reason: text('reason', { enum: ['later', 'retry', 'period'] }).notNull(),
    /** Empty for none. In the key: a retry of what was deleted must outlive one of its successor. */
    mergeKey: text('merge_key').notNull(),
    dueAt: moment('due_at'),
    /** Of what is no period, how long it was to wait; none of a build before. */
    everySeconds: integer('every_seconds'),
    ...message(),
  },
  (row) => [
    primaryKey({ columns: [row.function, row.key, row.reason, row.mergeKey] }),
    index('wakeups_due_at').on(row.dueAt),
    index('wakeups_subject').on(row.subject).where(isNotNull(row.subject)),
  ],
);
