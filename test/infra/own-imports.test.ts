import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { seldom } from '#infra/stand-ins.mjs';
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

/** Which modules a program has loaded, and as what. */
const watched = (imports: readonly string[]) => `
  const { registerHooks } = await import('node:module');
  const loaded = [];
  registerHooks({
    load(url, context, next) {
      const found = next(url, context);
      if (!url.startsWith('node:')) loaded.push(url + ' ' + found.format);
      return found;
    },
  });
  for (const name of ${JSON.stringify(imports)}) await import(name);
  console.log(JSON.stringify(loaded.toSorted()));`;

function loadedBy(imports: readonly string[], args: readonly string[]): readonly string[] {
  const program = ['--input-type=module', '-e', watched(imports)];
  return JSON.parse(execFileSync(process.execPath, [...args, ...program], { encoding: 'utf8' }));
}

const hook = ['--import', join(root, 'infra/own-imports.mjs')];

it('packages that are believed have their modules where they say, and no others', () => {
  const names = ['zod/mini', 'hono', 'hono/body-limit', 'commander', '@marcbachmann/cel-js'];
  const imports = names.map((name) => import.meta.resolve(name));
  const plain = loadedBy(imports, []);
  expect(plain.length).toBeGreaterThan(100);
  expect(loadedBy(imports, hook)).toEqual(plain);
});

it('our own imports lead to where Node itself finds them', () => {
  const faces = ['infra/cli/dev.ts', 'infra/emulator/dev/open-dev.ts', 'infra/cli/explain.ts'];
  const imports = faces.map((path) => `file://${join(root, path)}`);
  const isOurs = (line: string) => !line.includes('/node_modules/');
  const plain = loadedBy(imports, []).filter(isOurs);
  expect(plain.length).toBeGreaterThan(700);
  expect(loadedBy(imports, hook).filter(isOurs)).toEqual(plain);
});

/** What is imported of a package for more than its types. */
function valuesOf(name: string, text: string): readonly string[] {
  const statement = new RegExp(`^import (?!type )\\{([^}]*)\\} from '${name}';$`, 'gm');
  return [...text.matchAll(statement)]
    .flatMap(([, names = '']) => names.split(',').map((each) => each.trim()))
    .filter((each) => each !== '' && !each.startsWith('type '));
}

it.each(Object.keys(seldom))('what our rooms import of %s stands in for it', (name) => {
  const paths = globSync('{infra,shared,events}/**/*.ts', { cwd: root });
  const texts = paths.map((path) => readFileSync(join(root, path), 'utf8'));
  const values = new Set(texts.flatMap((text) => valuesOf(name, text)));
  expect([...values].toSorted()).toEqual(seldom[name]?.toSorted());
});

it('a package that is seldom needed is loaded when something is asked of it', () => {
  const written = (value: string) => `
    import { createRequire } from 'node:module';
    import { yamlOf } from ${JSON.stringify(join(root, 'infra/deploy/yaml.ts'))};
    const { cache } = createRequire(import.meta.url);
    const text = yamlOf(${value});
    console.log(JSON.stringify([text, Object.keys(cache).some((path) => path.includes('/yaml/'))]));`;
  const told = (value: string) => JSON.parse(ran('--input-type=module', '-e', written(value)));
  expect(told('{ a: 1 }')).toEqual(['a: 1\n', false]);
  expect(told('{ a: [1, "yes"] }')).toEqual(['a:\n  - 1\n  - "yes"\n', true]);
});

it('no import of http, by us or by a package, loads Node’s fetch', () => {
  const face = JSON.stringify(join(root, 'shared/adapters/cluster/kubeconfig.ts'));
  const program = `
    import ${face};
    const isLoaded = () => process.moduleLoadList.some((name) => name.endsWith('undici/undici'));
    const before = isLoaded();
    new Request('http://127.0.0.1/');
    console.log(JSON.stringify([before, isLoaded()]));`;
  expect(JSON.parse(ran('--input-type=module', '-e', program))).toEqual([false, true]);
});
