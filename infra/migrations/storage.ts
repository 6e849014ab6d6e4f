import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the tables need and drizzle cannot say stands in SQL beside them: fill factors, and when to vacuum. */
export const rooms = ['shared/adapters/database', 'events/postgres-queue'] as const;

export const separator = '--> statement-breakpoint';

/** A migration's text, one statement each. */
export function statementsOf(text: string): readonly string[] {
  return text
    .split(separator)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

export function joined(statements: readonly string[]): string {
  return `${statements.join(`\n${separator}\n`)}\n`;
}

/** Such a statement says how a table shall be from now on: a changed one runs again, whole. */
export function pendingStorage(
  wanted: readonly string[],
  migrations: readonly string[],
): readonly string[] {
  const done = new Set(migrations.flatMap(statementsOf));
  return wanted.filter((statement) => !done.has(statement));
}

export function storageStatements(root: string): readonly string[] {
  return rooms
    .map((room) => join(root, room, 'storage.sql'))
    .filter((file) => existsSync(file))
    .flatMap((file) => sqlIn(readFileSync(file, 'utf8')));
}

/** One statement up to each semicolon at the end of a line; lines of comment are for the reader of the file. */
export function sqlIn(text: string): readonly string[] {
  return text
    .replace(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
    .map((statement) => `${statement};`);
}
