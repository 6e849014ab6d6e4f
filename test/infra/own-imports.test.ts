import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '../..');

function ran(...args: readonly string[]): string {
  const hook = join(root, 'infra/own-imports.mjs');
  return execFileSync(process.execPath, ['--import', hook, ...args], { encoding: 'utf8' });
}

it('a name of a room says where it lies, as a quick start believes', () => {
  const stated = Object.entries(manifest.imports);
  expect(stated.length).toBeGreaterThan(3);
  for (const [name, place] of stated) expect(place).toBe(name.replace('#', './'));
});

it('our command starts by believing its imports', () => {
  const command = join(root, 'infra/cli/main.ts');
  expect(ran(command, '--version')).toBe(`${manifest.version}\n`);
});

it('whoever is none of ours is not believed, but looked up', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-imports-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const imports = { '#infra/*': './elsewhere-*' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', imports }));
  writeFileSync(join(folder, 'elsewhere-word.ts'), "export const word: string = 'theirs';");
  writeFileSync(
    join(folder, 'main.ts'),
    "import { word } from '#infra/word.ts'; process.stdout.write(word);",
  );
  expect(ran(join(folder, 'main.ts'))).toBe('theirs');
});
