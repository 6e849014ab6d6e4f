import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

const root = join(import.meta.dirname, '../..');

/** What somebody has who works in the repository: its sources, to be broken, and what npm has installed. */
export function repositoryCopy(...more: readonly string[]): string {
  const copy = temporaryFolder('repository-');
  for (const part of ['package.json', 'functions', 'shared', 'events', 'infra', ...more]) {
    cpSync(join(root, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}
