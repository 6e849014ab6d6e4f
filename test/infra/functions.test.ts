import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadFunctions } from '#infra/functions.ts';
import type { FunctionProblem } from '#shared/runtime/registry.ts';
import { readmeExample } from '#test/support/readme-example.ts';

const home = mkdtempSync(join(tmpdir(), 'own-functions-'));
afterAll(() => rmSync(home, { recursive: true }));

const example = readmeExample();

function write(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) {
    const file = join(home, folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return join(home, folder);
}

const good = {
  'as the README has it': write('readme', { 'forbid-latest.ts': example }),
  'in folders below': write('deep', { 'my-team/forbid-latest.ts': example }),
  'in JavaScript': write('js', {
    'forbid-latest.mjs': example,
  }),
  'in a package that calls itself CommonJS': write('commonjs', {
    'package.json': '{"type":"commonjs"}',
    'forbid-latest.ts': example,
  }),
  'beside words, tests and types': write('beside', {
    'forbid-latest.ts': `import { unused } from './_words.ts';\n${example}\nexport { unused };`,
    '_words.ts': 'export const unused: number = 1;',
    'forbid-latest.test.ts': 'throw new Error("it ran");',
    'global.d.ts': 'declare const x: number;',
    'node_modules/other/index.js': 'throw new Error("it ran");',
    '.cache/other.js': 'throw new Error("it ran");',
  }),
};

const installed = write('node_modules/team', { 'forbid-latest.ts': example });
symlinkSync(installed, join(home, 'linked'));

const bad = {
  'is not there': join(home, 'nowhere'),
  'is empty': write('empty', { 'readme.md': '' }),
  'holds an enum': write('enum', { 'paint.ts': 'enum Colour { Red }\nexport default Colour;' }),
  'imports without an ending': write('ending', { 'a.ts': "import './words'; export default 1;" }),
  'imports what is not ours to give': write('inner', {
    'a.ts': "import 'gatehouse/inner'; export default 1;",
  }),
  'imports what is not exported': write('unexported', {
    'a.ts': "import { configMaps } from 'gatehouse/define'; export default configMaps;",
  }),
  'throws when it is loaded': write('throws', { 'a.ts': "throw new Error('on fire');" }),
  'lies below node_modules': join(home, 'linked'),
  'exports no definition': write('none', { 'words.ts': 'export const a = 1;' }),
  'is named otherwise': write('misnamed', { 'other.ts': example }),
};

type Result = { readonly names: readonly string[]; readonly problems: readonly FunctionProblem[] };

const folders = [...Object.values(good), ...Object.values(bad)];
const program = join(import.meta.dirname, '../support/load-functions.ts');
const said = execFileSync(process.execPath, [program, ...folders], { encoding: 'utf8' });
const results = new Map(
  (JSON.parse(said) as readonly Result[]).map((result, index) => [folders[index], result]),
);

describe("a user's own folder", () => {
  it.each(Object.entries(good))('is loaded %s', (_, folder) => {
    expect(results.get(folder)).toEqual({ names: ['forbid-latest'], problems: [] });
  });

  it.each([
    ['is not there', 'there is no such folder', 'make it'],
    ['is empty', 'there is no function in it', 'put a file into it'],
    ['holds an enum', 'enum is not supported', 'erasableSyntaxOnly'],
    ['imports without an ending', 'Cannot find module', './words.ts'],
    ['imports what is not ours to give', "'gatehouse", 'a package'],
    ['imports what is not exported', "export named 'configMaps'", 'kinds.configMaps'],
    ['throws when it is loaded', 'on fire', 'run the file'],
    ['lies below node_modules', 'Node strips no types', 'build it to .js'],
    ['exports no definition', 'exports no function by default', 'export default defineAdmission'],
    ['is named otherwise', 'expected "other"', 'rename the file'],
  ] as const)('is refused when it %s, and told how to mend it', (what, why, mend) => {
    const [problem] = results.get(bad[what])?.problems ?? [];
    expect(problem?.file).toContain(home);
    expect(problem?.why).toContain(why);
    expect(problem?.mend).toContain(mend);
  });
});

describe('loadFunctions', () => {
  it('gives up a file that is never read to its end, and says why', async () => {
    const directory = write('waits', { 'wait.mjs': 'await new Promise(() => {});' });
    const loaded = await loadFunctions({ builtIn: false, directory, readingMs: 20 });
    const [problem] = loaded.ok ? [] : loaded.problems;
    expect(problem?.why).toBe('it is still being read after 0.02 s');
    expect(problem?.mend).toContain('an await outside of the handler does not end');
  });

  it('finds every function that came with Gatehouse', async () => {
    const loaded = await loadFunctions({ builtIn: true });
    const files = loaded.ok ? loaded.found.map(({ file, origin }) => `${origin} ${file}`) : [];
    expect(files).toContain('built-in functions/node-affinity/prefer-pool.ts');
  });
});
