import { globSync, realpathSync, statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, dirname, join, sep } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Found, FunctionProblem, Origin } from '#shared/runtime/registry.ts';
import { authoring, type BuiltIn, builtIn } from './built-in.ts';

export type Sources = {
  readonly builtIn: boolean;
  /** A folder of the user's own function files. */
  readonly directory?: string | undefined;
  /** A file that is still being read then is given up: an `await` beside the functions may wait for ever. */
  readonly readingMs?: number;
};

export type LoadedFunctions =
  | { readonly ok: true; readonly found: readonly Found[] }
  | { readonly ok: false; readonly problems: readonly [FunctionProblem, ...FunctionProblem[]] };

/** What the files export, for the registry to check. */
export async function loadFunctions(sources: Sources): Promise<LoadedFunctions> {
  servingOurNames();
  const ours = sources.builtIn ? await Promise.all(builtIn().map(loadBuiltIn)) : [];
  const own =
    sources.directory === undefined ? [] : await loadOwn(sources.directory, sources.readingMs);
  const results = [...ours, ...own];

  const [first, ...rest] = eachOnce(results.filter((result) => 'why' in result));
  if (first !== undefined) return { ok: false, problems: [first, ...rest] };
  return { ok: true, found: results.filter((result) => 'exported' in result) };
}

type Loaded = Found | FunctionProblem;

async function loadBuiltIn({ file, load }: BuiltIn): Promise<Loaded> {
  try {
    const found = foundIn(file, 'built-in', await load());
    return misplaced(found) ?? found;
  } catch (cause: unknown) {
    return unloadable(file, cause);
  }
}

/** Bundles and roles are made of it by where it lies. */
function misplaced({ file, exported }: Found): FunctionProblem | undefined {
  const { capability } = Object(exported) as { readonly capability?: unknown };
  const folder = `functions/${capability}`;
  if (typeof capability !== 'string' || dirname(file) === folder) return undefined;
  const why = `it is of the capability ${capability}, whose folder is ${folder}`;
  return { file, why, mend: 'move it there, or name the capability of the folder that it is in' };
}

function foundIn(file: string, origin: Origin, loaded: { readonly default?: unknown }): Found {
  return { file, origin, exported: loaded.default };
}

/** Below the folder, however deep; files that are no functions start their name with _ or a dot, or are tests. */
const endings = /(?<!\.d|\.test|\.spec)\.[cm]?[jt]s$/;

async function loadOwn(directory: string, readingMs = 10_000): Promise<readonly Loaded[]> {
  if (!isDirectory(directory)) return [noFolder(directory)];

  const files = globSync('**/*.{ts,mts,cts,js,mjs,cjs}', {
    cwd: directory,
    exclude: (path) => /^[._]|^node_modules$/.test(basename(path)),
  }).filter((file) => endings.test(file) && !/^[._]/.test(basename(file)));
  if (files.length === 0) return [emptyFolder(directory)];

  return Promise.all(files.toSorted().map((file) => loadOwnFile(join(directory, file), readingMs)));
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function noFolder(file: string): FunctionProblem {
  return { file, why: 'there is no such folder', mend: 'make it, or name another one' };
}

function emptyFolder(file: string): FunctionProblem {
  const mend = 'put a file into it that ends in .ts or .js and exports a function by default';
  return { file, why: 'there is no function in it', mend };
}

async function loadOwnFile(file: string, readingMs: number): Promise<Loaded> {
  const path = realpathSync(file);
  if (path.includes(`${sep}node_modules${sep}`) && /ts$/.test(path)) {
    const mend = 'build it to .js, or copy it to a folder that is not below node_modules';
    return { file, why: 'Node strips no types below node_modules', mend };
  }
  try {
    return foundIn(file, 'own', await readWithin(readingMs, import(pathToFileURL(path).href)));
  } catch (cause: unknown) {
    return unloadable(file, cause);
  }
}

async function readWithin<T>(ms: number, reading: Promise<T>): Promise<T> {
  const read = new AbortController();
  const late = after(ms, undefined, { signal: read.signal }).then(() => {
    throw Object.assign(new Error(`it is still being read after ${ms / 1_000} s`), {
      code: 'STILL_BEING_READ',
    });
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    read.abort();
    late.catch(() => {});
  }
}

/** What many functions import is broken once. */
function eachOnce(problems: readonly FunctionProblem[]): readonly FunctionProblem[] {
  return [...new Map(problems.map((each) => [`${each.file}: ${each.why}`, each])).values()];
}

/** A function's file is code of the user's: whatever it does wrong is the user's to know. */
function unloadable(file: string, cause: unknown): FunctionProblem {
  const mend = mends[codeOf(cause)] ?? 'run the file with node by itself: it says where';
  return { ...brokenIn(file, cause), mend };
}

/** Node has none for what a module does not export. */
function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  if ('code' in cause) return String(cause.code);
  return / does not provide an export named /.test(cause.message) ? 'NOT_EXPORTED' : '';
}

type Broken = Pick<FunctionProblem, 'file' | 'why'>;

/** Of what cannot be parsed the stack begins with the place, which may be in a file that was imported. */
function brokenIn(file: string, cause: unknown): Broken {
  if (!(cause instanceof Error)) return { file, why: String(cause) };

  const { message, stack = '' } = cause;
  const [start = '', ...calls] = stack.split('\n');
  const [, path, line] = /^(?:file:\/\/)?(\/.+\.[cm]?[jt]s)(?:\?[^:]*)?:(\d+)$/.exec(start) ?? [];
  if (path !== undefined) {
    return { file: path.endsWith(`/${file}`) ? file : path, why: `line ${line}: ${message}` };
  }
  const at = calls.find((call) => call.includes(basename(file)));
  const [, thrown] = /\.[cm]?[jt]s(?:\?[^:]*)?:(\d+)/.exec(at ?? '') ?? [];
  return { file, why: thrown === undefined ? message : `line ${thrown}: ${message}` };
}

const mends: Readonly<Record<string, string>> = {
  ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX:
    'types are stripped, not compiled: no enums, namespaces or parameter properties (erasableSyntaxOnly in tsconfig.json finds them)',
  ERR_INVALID_TYPESCRIPT_SYNTAX: 'mend the syntax there; tsc says more',
  ENOENT: 'put the file back, or take its import out',
  ERR_MODULE_NOT_FOUND:
    'write an import with its ending (./words.ts); install a package beside the folder',
  NOT_EXPORTED:
    'correct the name; a type is imported by `import type`, and of gatehouse/define a kind as in kinds.configMaps',
  STILL_BEING_READ: 'an await outside of the handler does not end: move it into the handler',
  ERR_PACKAGE_PATH_NOT_EXPORTED:
    'import from gatehouse/define or gatehouse/testing; nothing else of Gatehouse is for others',
};

let isServing = false;

/** Nobody needs node_modules for our names, nor a build for them: they are the very copy that this process runs. */
function servingOurNames(): void {
  if (isServing) return;
  isServing = true;
  registerHooks({
    resolve(specifier, context, next) {
      const url = authoring[specifier];
      if (url !== undefined) return { url, shortCircuit: true };
      const resolved = next(specifier, context);
      // Whatever the folder's package.json says: what is only stripped of its types can be nothing but a module,
      // and so are its later versions, whose addresses have a number behind them.
      return /^file:[^?]*\.ts(?:\?|$)/.test(resolved.url)
        ? { ...resolved, format: 'module-typescript' }
        : resolved;
    },
  });
}
