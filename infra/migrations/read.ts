import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Migration } from '#shared/adapters/database/schema.ts';
import { statementsOf } from './storage.ts';

/** The program that is published has them inside: its build puts the list in the place of this file's folder. */
export async function readMigrations(
  folder: string = import.meta.dirname,
): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(names.map((name) => readMigration(folder, name)));
}

async function readMigration(folder: string, file: string): Promise<Migration> {
  const text = await readFile(join(folder, file), 'utf8');
  return {
    name: file.replace(/\.sql$/, ''),
    hash: createHash('sha256').update(text).digest('hex'),
    statements: statementsOf(text),
  };
}
