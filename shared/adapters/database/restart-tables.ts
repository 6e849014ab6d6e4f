import { integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

const moment = (name: string) => timestamp(name, { withTimezone: true });

/** The pods of one owner that are made anew; the newest campaign of each owner. */
export const restartCampaigns = pgTable(
  'restart_campaigns',
  {
    cluster: text('cluster').notNull(),
    owner: text('owner').notNull(),
    namespace: text('namespace').notNull(),
    template: text('template').notNull(),
    configurationHash: text('configuration_hash').notNull(),
    bundleHash: text('bundle_hash').notNull(),
    reason: text('reason').notNull(),
    /** `open`, `closed`, `tripped` */
    state: text('state').notNull(),
    /** The uids of all pods that the owner had when it opened. */
    known: text('known').array().notNull(),
    intentUid: text('intent_uid').notNull(),
    intentName: text('intent_name').notNull(),
    count: integer('count').notNull(),
    /** When the intent may be carried out. */
    turnAt: moment('turn_at').notNull(),
    revision: integer('revision').notNull(),
    changedAt: moment('changed_at').notNull(),
    /** By which the owner is found when it has no pod. */
    ownerApiVersion: text('owner_api_version').notNull().default(''),
    ownerKind: text('owner_kind').notNull().default(''),
    ownerName: text('owner_name').notNull().default(''),
    /** How often it was begun for the same cause. */
    tries: integer('tries').notNull().default(1),
  },
  (table) => [primaryKey({ columns: [table.cluster, table.owner] })],
);

/** Each pod that was meant to go, once. */
export const restartIntents = pgTable(
  'restart_intents',
  {
    cluster: text('cluster').notNull(),
    pod: text('pod').notNull(),
    owner: text('owner').notNull(),
    reason: text('reason').notNull(),
    intendedAt: moment('intended_at').notNull(),
    evictedAt: moment('evicted_at'),
  },
  (table) => [primaryKey({ columns: [table.cluster, table.pod] })],
);

/** When the next eviction may be, whichever replica makes it. */
export const restartPaces = pgTable('restart_paces', {
  cluster: text('cluster').primaryKey(),
  nextAt: moment('next_at').notNull(),
});

/** Since when a trust bundle, or the configuration, has been the one that pods are to have. */
export const trustBundlesSeen = pgTable(
  'trust_bundles_seen',
  {
    cluster: text('cluster').notNull(),
    name: text('name').notNull(),
    hash: text('hash').notNull(),
    since: moment('since').notNull(),
  },
  (table) => [primaryKey({ columns: [table.cluster, table.name] })],
);
