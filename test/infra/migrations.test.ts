import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as queueTables from '#events/postgres-queue/tables.ts';
import { readMigrations } from '#infra/migrations/read.ts';
import { pendingStorage, sqlIn, storageStatements } from '#infra/migrations/storage.ts';
import { breakingStatements } from '#shared/adapters/database/additive.ts';
import * as imageTables from '#shared/adapters/database/image-tables.ts';
import * as restartTables from '#shared/adapters/database/restart-tables.ts';
import * as mirrorTables from '#shared/adapters/database/tables.ts';

const root = join(import.meta.dirname, '../..');
const meta = join(root, 'infra/migrations/meta');
const migrations = await readMigrations();

type Kit = typeof import('drizzle-kit/api');

/** Costs a third of a second to load, and its own import of it loads every database's driver. */
function drizzleKit(): Kit {
  return createRequire(import.meta.url)('drizzle-kit/api');
}

describe('the migrations', () => {
  it('make the very tables that the code has (else: npm run migrations)', async () => {
    const { generateDrizzleJson, generateMigration } = drizzleKit();
    const latest = readdirSync(meta)
      .filter((name) => name.endsWith('_snapshot.json'))
      .toSorted()
      .at(-1);
    const before = JSON.parse(readFileSync(join(meta, latest ?? ''), 'utf8'));
    const now = generateDrizzleJson(
      { ...mirrorTables, ...restartTables, ...imageTables, ...queueTables },
      before.id,
    );
    expect(await generateMigration(before, now)).toEqual([]);
  });

  it('store the tables as the code says (else: npm run migrations)', () => {
    const texts = migrations.map(({ statements }) =>
      statements.join('\n--> statement-breakpoint\n'),
    );
    expect(pendingStorage(storageStatements(root), texts)).toEqual([]);
  });

  it('are those that the journal of drizzle-kit names', () => {
    const { entries } = JSON.parse(readFileSync(join(meta, '_journal.json'), 'utf8'));
    const named = entries.map(({ tag }: { tag: string }) => tag);
    expect(migrations.map(({ name }) => name)).toEqual(named);
  });

  it('only add, so that the version before runs on the new schema', () => {
    const broken = migrations.map(({ name, statements }) => [name, breakingStatements(statements)]);
    expect(broken).toEqual(migrations.map(({ name }) => [name, []]));
  });
});

describe('pendingStorage', () => {
  it.each([
    ['what no migration has', ['A;', 'B;'], ['A;\n'], ['B;']],
    ['nothing where all is there', ['A;'], ['x\n--> statement-breakpoint\nA;\n'], []],
    ['all of it where there is no migration', ['A;', 'B;'], [], ['A;', 'B;']],
  ])('gives %s', (_, wanted, texts, expected) => {
    expect(pendingStorage(wanted, texts)).toEqual(expected);
  });

  it('reads one statement up to each semicolon that ends a line, without comments', () => {
    const text =
      '-- why; because\nALTER TABLE a\n  SET (fillfactor = 70);\n\nALTER TABLE b RESET (x);\n';
    expect(sqlIn(text)).toEqual([
      'ALTER TABLE a\n  SET (fillfactor = 70);',
      'ALTER TABLE b RESET (x);',
    ]);
  });
});
