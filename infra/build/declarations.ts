import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { root } from './options.ts';

const entries = ['infra/authoring/define.ts', 'infra/authoring/testing.ts'];
const zod = join(root, 'node_modules/zod/v4');

/** Types for those who write functions: they need no package but ours, so zod's types are among them. */
export async function buildDeclarations(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await emit(directory);
  await copyZod(join(directory, 'zod'));
  for (const file of await declarationsIn(directory)) {
    const text = await readFile(file, 'utf8');
    await writeFile(file, withRelativeImports(text, { file, directory }));
  }
  await removeUnnamed(directory);
}

/** What our sources load but no type of the entries names is nobody's to read. */
async function removeUnnamed(directory: string): Promise<void> {
  const named = new Set<string>();
  const waiting = entries.map((entry) => join(directory, entry.replace(/\.ts$/, '.d.ts')));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (named.has(file)) continue;
    named.add(file);
    waiting.push(...importsIn(await readFile(file, 'utf8'), file));
  }
  const ours = await declarationsIn(directory);
  await Promise.all(ours.filter((file) => !named.has(file)).map((file) => rm(file)));
}

function importsIn(text: string, file: string): readonly string[] {
  return [...text.matchAll(imports)]
    .map(([, , , name = '']) => name)
    .filter((name) => name.startsWith('.'))
    .map((name) => resolve(dirname(file), name.replace(/\.js$/, '.d.ts')));
}

async function emit(directory: string): Promise<void> {
  const config = join(directory, 'tsconfig.json');
  const compilerOptions = {
    declaration: true,
    emitDeclarationOnly: true,
    noEmit: false,
    rootDir: root,
    outDir: directory,
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const files = entries.map((entry) => join(root, entry));
  const stated = { extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] };
  await writeFile(config, JSON.stringify(stated));
  try {
    await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', config]);
  } catch (cause: unknown) {
    const said = cause instanceof Error && 'stdout' in cause ? String(cause.stdout) : '';
    throw new Error(`the types could not be made\n${said}`, { cause });
  } finally {
    await rm(config);
  }
}

/** Of its 8 MB what `zod/mini` is typed by. Its locales are texts for people; nobody's types name one. */
async function copyZod(directory: string): Promise<void> {
  for (const folder of ['mini', 'core']) {
    await cp(join(zod, folder), join(directory, folder), {
      recursive: true,
      filter: (path) => !/\.[a-z]+$/.test(path) || path.endsWith('.d.ts'),
    });
  }
  await mkdir(join(directory, 'locales'));
  await writeFile(join(directory, 'locales/index.d.ts'), 'export {};\n');
  await cp(join(zod, '../LICENSE'), join(directory, 'LICENSE'));
}

async function declarationsIn(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory, { recursive: true });
  return names.filter((name) => name.endsWith('.d.ts')).map((name) => join(directory, name));
}

const imports = /(from |import\()(['"])([^'"]+)\2/g;

type Place = { readonly file: string; readonly directory: string };

/** `#shared/x.ts` and `./x.ts` mean something only where the sources are. */
function withRelativeImports(text: string, place: Place): string {
  return text.replace(
    imports,
    (_, before: string, quote: string, name: string) =>
      `${before}${quote}${relativeImport(name, place)}${quote}`,
  );
}

function relativeImport(name: string, { file, directory }: Place): string {
  const target = targetOf(name, { file, directory });
  if (target === undefined) return name;
  const path = relative(dirname(file), target).replace(/\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

function targetOf(name: string, { file, directory }: Place): string | undefined {
  const [, folder] = /^zod\/(?:v4\/)?(mini|core)$/.exec(name) ?? [];
  if (folder !== undefined) return join(directory, 'zod', folder, 'index.js');
  if (name.startsWith('#')) return join(directory, name.slice(1));
  return name.startsWith('.') ? resolve(dirname(file), name) : undefined;
}
