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

/** Databases have them under these hashes, and refuse one of another text. A new migration is one line more; no line changes. */
const landed = {
  '0000_schema': '54d852e339c041c07fcd02d836e0184bda258181509fa4c450d8ab5bb35f229e',
  '0001_trust': '33d84947f2484bea10c4ec383b1c3bf5db5b40e817fa00a5b62f7f24b3b76389',
  '0002_restarts': 'ccb3c4f920fb5eeb4883031a49c5a67ebee75b94d8408779c5614155fc81a29d',
  '0003_rows_in_their_page_storage':
    'abdecc401a2d4f72cb8d1ebe3f8536f1313ea7f7757742882adc9a3ab47bc5fa',
  '0004_mirrored_at': '8fb0cdcc7eea128e014922164b054d1c9c23ccf0dce1af052b7dc3d2e315db41',
  '0005_caught_up_at': '151bd6e0a6646121518bc536f7fddfe95d5a405e5223d45b4e10d4cc3085d39f',
};

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

  it('are of the texts with which they landed', () => {
    const texts = Object.fromEntries(migrations.map(({ name, hash }) => [name, hash]));
    expect(texts).toEqual(landed);
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
