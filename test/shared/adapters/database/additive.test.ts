import { describe, expect, it } from 'vitest';
import { breakingStatements } from '#shared/adapters/database/additive.ts';

describe('breakingStatements', () => {
  it.each([
    ['a comment', '-- DROP TABLE t'],
    ['a table', 'CREATE TABLE "t" ("type" text NOT NULL, "drop" int)'],
    ['an index', 'CREATE INDEX "i" ON "t" USING btree ("rename")'],
    ['a column that may be empty', 'ALTER TABLE "t" ADD COLUMN "type" text;'],
    ['a column with a default', 'ALTER TABLE "t" ADD COLUMN "c" numeric(9, 2) DEFAULT 0 NOT NULL;'],
    [
      'how a table is stored',
      'ALTER TABLE t SET (fillfactor = 70, autovacuum_vacuum_cost_delay = 0);',
    ],
    [
      'a default that says DROP',
      `ALTER TABLE "t" ADD COLUMN "c" text DEFAULT 'DROP; it''s' NOT NULL`,
    ],
  ])('lets pass %s', (_, statement) => {
    expect(breakingStatements([statement])).toEqual([]);
  });

  it.each([
    ['a table dropped', 'DROP TABLE "t"'],
    ['a column dropped', 'ALTER TABLE "t" DROP COLUMN "c"'],
    ['a column added and one dropped', 'ALTER TABLE "t" ADD COLUMN "a" int, DROP COLUMN "b"'],
    ['an index dropped', 'DROP INDEX "i"'],
    ['a table renamed', 'ALTER TABLE "t" RENAME TO "u"'],
    ['a column renamed', 'ALTER TABLE "t" RENAME COLUMN "a" TO "b"'],
    ['another type', 'ALTER TABLE "t" ALTER COLUMN "c" SET DATA TYPE bigint'],
    ['an enum’s value', `ALTER TYPE "e" ADD VALUE 'x'`],
    ['no more empty', 'ALTER TABLE "t" ALTER COLUMN "c" SET NOT NULL'],
    [
      'a column that the version before does not write',
      'ALTER TABLE "t" ADD COLUMN "c" text NOT NULL',
    ],
    ['a column that has to be unique', 'ALTER TABLE "t" ADD COLUMN "c" text UNIQUE'],
    ['a constraint', 'ALTER TABLE "t" ADD CONSTRAINT "k" CHECK (c > 0)'],
    ['a unique index', 'CREATE UNIQUE INDEX "i" ON "t" USING btree ("c")'],
    ['rows', 'DELETE FROM "t"'],
    ['a second statement behind a first', 'CREATE TABLE a (i int); DROP TABLE t'],
    ['a statement behind a comment', '-- CREATE TABLE\nDROP TABLE t'],
    ['lower case', 'alter table t drop column c'],
  ])('refuses %s', (_, statement) => {
    expect(breakingStatements([statement])).toEqual([statement]);
  });

  it('lets a table that the same migration makes have any constraint', () => {
    const made = [
      'CREATE TABLE "t" ("c" text)',
      'ALTER TABLE "t" ADD CONSTRAINT "k" CHECK (c is not null)',
      'CREATE UNIQUE INDEX "i" ON "t" USING btree ("c")',
    ];
    expect(breakingStatements(made)).toEqual([]);
  });
});
