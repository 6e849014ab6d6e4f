import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The function that README.md shows, word for word: what a new user copies first. */
export function readmeExample(): string {
  const page = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  const [, example] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  if (example === undefined) throw new Error('README.md shows no function');
  return example;
}
