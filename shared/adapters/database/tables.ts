import { isNotNull, isNull } from 'drizzle-orm';
import {
  bigint,
  boolean,
  customType,
  index,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';

/** Ordered by its bytes on every server: pages go on in JavaScript's order, and comparing is cheap. */
const ascii = customType<{ data: string }>({ dataType: () => 'text collate "C"' });

const moment = (name: string) => timestamp(name, { withTimezone: true });

/** A cluster under the name that we call it by, and which one it was when we last looked. */
export const clusters = pgTable('clusters', {
  cluster: ascii('cluster').primaryKey(),
  /** Of kube-system. */
  uid: text('uid').notNull(),
  epoch: integer('epoch').notNull(),
});

/** One list/watch loop: who may write its rows, and how far it is. No second index, so that each update stays in its page. */
export const watches = pgTable(
  'watches',
  {
    cluster: ascii('cluster').notNull(),
    scope: ascii('scope').notNull(),
    apiGroup: ascii('api_group').notNull(),
    resource: ascii('resource').notNull(),
    holder: text('holder'),
    /** Never goes back, so the row is never deleted: a scope that is no more is retired. */
    term: bigint('term', { mode: 'number' }).notNull().default(0),
    leaseUntil: moment('lease_until').notNull().defaultNow(),
    epoch: integer('epoch').notNull(),
    generation: integer('generation').notNull(),
    /** `nowhere`, `listing`, `watching`: then the version says from where. */
    position: text('position').notNull(),
    resourceVersion: text('resource_version'),
    /** Counts the transactions that changed rows: who hears of changes notices what it has missed. */
    changes: bigint('changes', { mode: 'number' }).notNull().default(0),
    isRetired: boolean('is_retired').notNull().default(false),
    /** When the cursor was last set; bookmarks set it where nothing changes. */
    updatedAt: moment('updated_at').notNull().defaultNow(),
    /** The rows have all that was in the cluster then. Of kinds that sets are of, and only those. */
    caughtUpAt: moment('caught_up_at'),
  },
  (table) => [primaryKey({ columns: [table.cluster, table.scope] })],
);

/** The mirror. What a plain change of status touches is in no index: such an update writes the row alone. */
export const objects = pgTable(
  'objects',
  {
    cluster: ascii('cluster').notNull(),
    apiGroup: ascii('api_group').notNull(),
    resource: ascii('resource').notNull(),
    uid: ascii('uid').notNull(),
    scope: ascii('scope').notNull(),
    namespace: ascii('namespace').notNull(),
    name: ascii('name').notNull(),
    epoch: integer('epoch').notNull(),
    resourceVersion: text('resource_version').notNull(),
    generation: integer('generation').notNull(),
    labels: jsonb('labels').notNull(),
    /** The uids of its owners. */
    owners: text('owners').array().notNull(),
    /** What named indexes find it by. */
    keys: text('keys').array().notNull(),
    /** Labels, owners and keys once more, each with cluster and kind before it: one index serves a fleet. */
    terms: text('terms').array().notNull(),
    /** Not `jsonb`, which takes no `\u0000`. */
    body: json('body').notNull(),
    deletedAt: moment('deleted_at'),
    changedAt: moment('changed_at').notNull().defaultNow(),
    /** When it came to be here: whoever looked before has not seen it. */
    mirroredAt: moment('mirrored_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.cluster, table.apiGroup, table.resource, table.uid] }),
    uniqueIndex('objects_live_name')
      .on(table.cluster, table.apiGroup, table.resource, table.namespace, table.name)
      .where(isNull(table.deletedAt)),
    index('objects_terms')
      .using('gin', table.terms)
      .with({ fastupdate: false })
      .where(isNull(table.deletedAt)),
    index('objects_tombstones').on(table.deletedAt).where(isNotNull(table.deletedAt)),
  ],
);

/** How far a function has been woken for the objects that were there before it. */
export const backfills = pgTable(
  'backfills',
  {
    cluster: ascii('cluster').notNull(),
    scope: ascii('scope').notNull(),
    function: ascii('function').notNull(),
    fingerprint: text('fingerprint').notNull(),
    after: ascii('after').notNull(),
    isDone: boolean('is_done').notNull(),
  },
  (table) => [primaryKey({ columns: [table.cluster, table.scope, table.function] })],
);
