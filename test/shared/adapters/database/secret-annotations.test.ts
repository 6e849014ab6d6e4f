import type { Sql } from 'postgres';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { cutSecretAnnotations } from '#shared/adapters/database/secret-annotations.ts';
import { type FreshDatabase, freshDatabase } from '#test/support/postgres.ts';

let database: FreshDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await freshDatabase();
  sql = postgres(database.url, { max: 2, onnotice: () => undefined });
}, 30_000);
beforeEach(() => sql`truncate objects`);
afterAll(async () => {
  await sql.end({ timeout: 0 });
  await database.drop();
});

const lastApplied = { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{}}\u0000' };

/** As a build wrote it that left no annotation out. */
async function mirror(uid: string, resource: 'secrets' | 'configmaps', more = {}): Promise<void> {
  const kind = resource === 'secrets' ? 'Secret' : 'ConfigMap';
  const metadata = { name: uid, uid, resourceVersion: '7', ...more };
  const body = JSON.stringify({ apiVersion: 'v1', kind, metadata });
  await sql`
    insert into objects (cluster, api_group, resource, uid, scope, namespace, name, epoch,
      resource_version, generation, labels, owners, keys, terms, body, changed_at)
    values ('home', '', ${resource}, ${uid}, 'one', 'default', ${uid}, 1, '7', 1, '{}', '{}', '{}',
      '{}', ${body}::text::json, '2030-01-01')`;
}

type Mirrored = { readonly uid: string; readonly metadata: object };

async function metadataOf(): Promise<ReadonlyMap<string, object>> {
  const rows = await sql<Mirrored[]>`
    select uid, body->'metadata' as metadata from objects
    where changed_at = '2030-01-01' and resource_version = '7'`;
  return new Map(rows.map(({ uid, metadata }) => [uid, metadata]));
}

it('takes the annotations of Secrets that an earlier build has mirrored, and nothing else', async () => {
  const labels = { app: '"annotations":' };
  await mirror('old', 'secrets', { labels, annotations: lastApplied });
  await mirror('new', 'secrets', { labels });
  await mirror('map', 'configmaps', { annotations: { kept: 'yes' } });

  expect(await cutSecretAnnotations(sql, { cluster: 'elsewhere' })).toBe(0);
  expect(await cutSecretAnnotations(sql, { cluster: 'home' })).toBe(1);
  const metadata = await metadataOf();
  for (const uid of ['old', 'new']) {
    expect(metadata.get(uid)).toEqual({ name: uid, uid, resourceVersion: '7', labels });
  }
  expect(metadata.get('map')).toMatchObject({ annotations: { kept: 'yes' } });
  expect(await cutSecretAnnotations(sql, { cluster: 'home' })).toBe(0);
});

it('goes through any number of them', async () => {
  for (let at = 0; at < 33; at += 1) await mirror(`u${at}`, 'secrets', { annotations: { at } });
  expect(await cutSecretAnnotations(sql, { cluster: 'home' })).toBe(33);
});
