import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scheduleOn } from '#events/postgres-queue/schedule.ts';
import { senderOn } from '#events/postgres-queue/send.ts';
import * as queueTables from '#events/postgres-queue/tables.ts';
import { readMigrations } from '#infra/migrations/read.ts';
import { sqlIn, storageStatements } from '#infra/migrations/storage.ts';
import * as imageTables from '#shared/adapters/database/image-tables.ts';
import { verdictsOn } from '#shared/adapters/database/image-verdicts.ts';
import { migrate, readSchema } from '#shared/adapters/database/migrate.ts';
import { mirrorOn } from '#shared/adapters/database/mirror.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import * as restartTables from '#shared/adapters/database/restart-tables.ts';
import { restartsOn } from '#shared/adapters/database/restarts.ts';
import type { Migration } from '#shared/adapters/database/schema.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import * as mirrorTables from '#shared/adapters/database/tables.ts';
import type { Collection } from '#shared/domain/image-trust/verdict-store.ts';
import { pods } from '#shared/domain/kind.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { postgresQueue } from '#test/support/postgres-queue.ts';
import { catalogOf } from './catalog.ts';

const root = join(import.meta.dirname, '../../..');
const migrations = await readMigrations();

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

async function emptyDatabase() {
  const { url, drop } = await freshDatabase({ isMigrated: false });
  const { sql, close } = openDatabase(url, { name: 'test', isPatient: true, connections: 4 });
  closing.push(() => close().then(drop));
  return { url, sql };
}

/** What a version of the day of that migration writes. */
async function write(sql: Sql, { name }: Pick<Migration, 'name'>): Promise<void> {
  const text = readFileSync(join(root, `test/fixtures/migrations/${name}.sql`), 'utf8');
  for (const statement of sqlIn(text)) await sql.unsafe(statement);
}

/** Of the migrations before `count`, with what a version of that day had written. */
async function earlier(count: number) {
  const { url, sql } = await emptyDatabase();
  const landed = migrations.slice(0, count);
  await migrate(sql, { migrations: landed });
  for (const each of landed) await write(sql, each);
  return { url, sql };
}

type Table = { readonly name: string; readonly columns: readonly string[] };

async function tablesIn(sql: Sql): Promise<readonly Table[]> {
  return sql<Table[]>`
    select table_name as name, array_agg(column_name::text order by column_name) as columns
    from information_schema.columns
    where table_schema = 'public' and table_name <> 'gatehouse_migrations' group by 1 order by 1`;
}

/** As text: numbers of 64 bits, and JSON with characters that no other type takes. */
async function rowsOf(sql: Sql, { name, columns }: Table): Promise<readonly string[]> {
  const rows = await sql<{ row: string }[]>`
    select row_to_json(kept)::text as row from (select ${sql(columns)} from ${sql(name)}) as kept`;
  return rows.map(({ row }) => row).toSorted();
}

async function contentOf(sql: Sql, tables: readonly Table[]) {
  const rows = await Promise.all(tables.map((table) => rowsOf(sql, table)));
  return Object.fromEntries(tables.map(({ name }, at) => [name, rows[at]]));
}

type Kit = typeof import('drizzle-kit/api');

/** Not by the migrations: as the code says that tables are. */
async function madeFromCode(): Promise<readonly string[]> {
  const kit: Kit = createRequire(import.meta.url)('drizzle-kit/api');
  const nothing = kit.generateDrizzleJson({});
  const all = { ...mirrorTables, ...restartTables, ...imageTables, ...queueTables };
  const { url, drop } = await freshDatabase({ isMigrated: false });
  const { sql, close } = openDatabase(url, { name: 'test', connections: 1 });
  const statements = await kit.generateMigration(nothing, kit.generateDrizzleJson(all));
  for (const statement of [...statements, ...storageStatements(root)]) await sql.unsafe(statement);
  const catalog = await catalogOf(sql);
  await close();
  await drop();
  return catalog;
}

describe('a schema of before', () => {
  let expected: readonly string[];
  beforeAll(async () => {
    expected = await madeFromCode();
  }, 30_000);

  // With the first so many migrations; at 0 there is nothing, and with all of them nothing to do.
  it.each([...migrations.keys(), migrations.length])(
    'with %d migrations keeps every row, and becomes what the code says',
    async (count) => {
      const { sql } = await earlier(count);
      const tables = await tablesIn(sql);
      const before = await contentOf(sql, tables);
      // What is empty proves nothing: a new table wants rows in test/fixtures/migrations.
      expect(tables.filter(({ name }) => (before[name]?.length ?? 0) < 2)).toEqual([]);

      await migrate(sql, { migrations });
      expect(await readSchema(sql, migrations)).toEqual({ kind: 'current', ahead: [] });
      expect(await contentOf(sql, tables)).toEqual(before);
      expect(await catalogOf(sql)).toEqual(expected);
    },
  );
});

describe('the newest schema', () => {
  it('takes what every version of before still writes while pods of it live', async () => {
    const { sql } = await emptyDatabase();
    await migrate(sql, { migrations });
    for (const each of migrations) await write(sql, each);
    const content = await contentOf(sql, await tablesIn(sql));
    expect(Object.values(content).filter((rows = []) => rows.length < 2)).toEqual([]);
  });
});

describe('what a version of before has left', () => {
  let sql: Sql;
  let url: string;
  beforeAll(async () => {
    ({ sql, url } = await earlier(1));
    await migrate(sql, { migrations });
    for (const each of migrations.slice(1)) await write(sql, each);
  }, 30_000);

  it('is found in the mirror, the living and the deleted', async () => {
    const mirror = mirrorOn(sql, { cluster: 'main' });
    const at = { namespace: 'team-a', name: 'web' };
    expect(await mirror.find(pods, at)).toMatchObject({
      object: { note: '\0 and  two  spaces' },
      resourceVersion: '184467440737095',
    });
    expect(await mirror.findByUid(pods, 'uid-0')).toMatchObject({ isDeleted: true });
    const { objects } = await mirror.list(pods, { owner: 'uid-of-set' });
    const owned: unknown[] = [];
    for await (const each of objects) owned.push(each);
    expect(owned).toHaveLength(1);
  });

  it('holds the lease and the cursor of the forwarder that had them', async () => {
    const store = storeOn(sql, { cluster: 'main', sender: senderOn });
    // Of the day of these rows, too, it was one of seconds.
    await sql`update watches set lease_until = now() + interval '15 seconds' where holder is not null`;
    expect(await store.claim('pods', 'somebody-else', 1_000)).toBeUndefined();
    expect(await store.claim('pods', 'forwarder-1', 1_000)).toEqual({
      term: { scope: 'pods', holder: 'forwarder-1', number: 41 },
      cursor: { epoch: 3, generation: 7, at: { resourceVersion: '184467440737095' } },
    });
    expect(await store.identity()).toMatchObject({ epoch: 3 });
    expect(await store.backfills('pods')).toContainEqual({
      ...{ function: 'look', fingerprint: '[{"of":{"resource":"pods"}}]' },
      ...{ after: 'uid-5', isDone: false },
    });
  });

  it('is received in its order, what is held left out and what is due with it', async () => {
    const queue = await postgresQueue(url);
    closing.unshift(() => queue.close());
    const schedule = scheduleOn({ sql, sender: senderOn });
    expect(await schedule.moveDue(10)).toMatchObject({ count: 1 });
    const received: string[] = [];
    for (;;) {
      const receiving = { functions: ['look'], max: 10, visibilityMs: 30_000, waitMs: 0 };
      const deliveries = await queue.receive(receiving);
      if (deliveries.length === 0) break;
      received.push(...deliveries.map(({ group, body, attempt }) => `${group} ${attempt} ${body}`));
      await queue.settle(deliveries.map(({ receipt }) => receipt));
    }
    expect(received.toSorted()).toEqual([
      'due 6 {"due":1}',
      'waiting 0 {"second":true}',
      'waiting 2 {"first":"é"}',
    ]);
    expect(received.findIndex((each) => each.includes('second'))).toBeGreaterThan(
      received.findIndex((each) => each.includes('first')),
    );
    const dead = await queue.listDead({ max: 10 });
    expect(dead.map(({ why, body }) => `${why} ${body}`)).toEqual([
      '$: expected an object no JSON',
      'crashed {}',
    ]);
    expect(await queue.redrive(dead.map(({ id }) => id))).toMatchObject({ count: 2 });
  });

  it('still vouches for an image, under the root that was kept, and paces restarts', async () => {
    const verdicts = verdictsOn(sql, { cluster: 'main' });
    closing.unshift(() => verdicts.close());
    const collection: Collection = {
      ...{ key: 'collection-1', verifier: 'notary', server: 'https://notary.example' },
      ...{ name: 'registry.example/team/app', owner: '' },
    };
    const asked = [
      { tag: '1.0', digest: 'sha256:aa' },
      { tag: undefined, digest: 'sha256:ff' },
    ];
    expect(await verdicts.find(collection, asked)).toMatchObject([
      { judgement: { kind: 'trusted', until: new Date('2099-01-01T00:00:00.123Z') } },
    ]);
    const restarts = restartsOn(sql, { cluster: 'main' });
    expect(await restarts.find('uid-of-set', 'team-a')).toMatchObject({
      known: ['uid-1', 'uid-0'],
      revision: 5,
      tries: 1,
    });
    // Versions of before noted only what was to go.
    expect(await restarts.tally()).toEqual([{ reason: 'missed', count: 1 }]);
  });
});
