// npm run migrations [-- name]: from the tables as they are now, what the migrations that have landed lack.
import { execFileSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { joined, pendingStorage, separator, storageStatements } from './storage.ts';

const root = join(import.meta.dirname, '../..');
const folder = 'infra/migrations';
const journal = `${folder}/meta/_journal.json`;

/** What git knows has landed and is never made anew; the rest is one migration, made from scratch. */
function removeUnlanded(): void {
  const landed = new Set(run('git', 'ls-files', folder).split('\n'));
  for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
    const path = `${folder}/${name}`;
    if (/\.(sql|json)$/.test(name) && !landed.has(path)) rmSync(join(root, path));
  }
  // Without its journal, drizzle-kit trips over the folder.
  if (landed.has(journal)) writeFileSync(join(root, journal), run('git', 'show', `:${journal}`));
  else rmSync(join(root, folder, 'meta'), { recursive: true, force: true });
}

function addStorage(name: string): void {
  const before = migrations();
  const texts = before.map((file) => readFileSync(file, 'utf8'));
  const missing = pendingStorage(storageStatements(root), texts);
  if (missing.length === 0) return;
  const unlanded = before.at(-1);
  if (isUnlanded(unlanded)) {
    appendFileSync(unlanded, `\n${separator}\n${joined(missing)}`);
  } else {
    generate('--custom', '--name', `${name}_storage`);
    writeFileSync(migrations().at(-1) ?? '', joined(missing));
  }
}

function isUnlanded(file: string | undefined): file is string {
  return file !== undefined && run('git', 'ls-files', file) === '';
}

function migrations(): readonly string[] {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.sql'));
  return names.toSorted().map((name) => join(root, folder, name));
}

function generate(...args: readonly string[]): void {
  run(process.execPath, join(root, 'node_modules/drizzle-kit/bin.cjs'), 'generate', ...args);
}

function run(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { cwd: root, encoding: 'utf8' });
}

if (import.meta.main) {
  const [name = 'schema'] = process.argv.slice(2);
  removeUnlanded();
  generate('--name', name);
  addStorage(name);
  run(join(root, 'node_modules/.bin/biome'), 'format', '--write', `${folder}/meta`);
  process.stdout.write(`${migrations().join('\n')}\n`);
}
