import {
  customType,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';

/** Ordered by its bytes on every server. */
const ascii = customType<{ data: string }>({ dataType: () => 'text collate "C"' });

const moment = (name: string) => timestamp(name, { withTimezone: true });

/**
 * What was learnt of one digest under one name. `collection` is the hash of verifier, server, name, owner, accepted
 * roles and pins; with `root` it is all that a verdict holds for.
 */
export const imageVerdicts = pgTable(
  'image_verdicts',
  {
    cluster: ascii('cluster').notNull(),
    collection: ascii('collection').notNull(),
    /** Empty for a bare digest. */
    tag: ascii('tag').notNull(),
    digest: ascii('digest').notNull(),
    verifier: text('verifier').notNull(),
    server: ascii('server').notNull(),
    name: ascii('name').notNull(),
    owner: ascii('owner').notNull(),
    /** Of the root under which it was proven; empty where there is none. */
    root: text('root').notNull(),
    also: text('also').array().notNull(),
    judgement: json('judgement').notNull(),
    freshUntil: moment('fresh_until').notNull(),
    validUntil: moment('valid_until').notNull(),
  },
  (table) => [primaryKey({ columns: [table.cluster, table.collection, table.tag, table.digest] })],
);

/** What was proven of a collection: where the next proof starts from. */
export const trustAnchors = pgTable(
  'trust_anchors',
  {
    cluster: ascii('cluster').notNull(),
    server: ascii('server').notNull(),
    name: ascii('name').notNull(),
    /** The namespace whose own Notary it is; empty for the platform's. */
    owner: ascii('owner').notNull(),
    /** The root file's hash. */
    root: text('root').notNull(),
    /** As text: not one of its bytes may change. */
    anchor: text('anchor').notNull(),
    revision: integer('revision').notNull(),
    keptAt: moment('kept_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.cluster, table.server, table.name, table.owner] })],
);

/** Who asks a verifier at this moment for all replicas. */
export const imageClaims = pgTable(
  'image_claims',
  {
    cluster: ascii('cluster').notNull(),
    collection: ascii('collection').notNull(),
    holder: text('holder').notNull(),
    leaseUntil: moment('lease_until').notNull(),
  },
  (table) => [primaryKey({ columns: [table.cluster, table.collection] })],
);

/** What a registry said a tag is. */
export const imageTags = pgTable(
  'image_tags',
  {
    cluster: ascii('cluster').notNull(),
    /** `registry.example/team/app:1.0` */
    name: ascii('name').notNull(),
    digest: text('digest').notNull(),
    seenAt: moment('seen_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.cluster, table.name] })],
);

/** What a manifest is made of: it never changes, and whose it is does not matter. */
export const imageManifests = pgTable(
  'image_manifests',
  {
    cluster: ascii('cluster').notNull(),
    digest: ascii('digest').notNull(),
    children: text('children').array().notNull(),
    config: text('config'),
    seenAt: moment('seen_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.cluster, table.digest] })],
);
