import { globSync, readFileSync } from 'node:fs';

const root = new URL('../', import.meta.url).pathname;

/** Strings of a test file that could be a title, or a row's name, as they are written. */
export function titlesIn(file: string): ReadonlySet<string> {
  const source = readFileSync(`${root}${file}`, 'utf8');
  const quoted = source.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`]*)`/g);
  return new Set([...quoted].map(([, one, two, three]) => one ?? two ?? three ?? ''));
}

export function testFiles(): readonly string[] {
  return globSync('**/*.test.ts', { cwd: root });
}
