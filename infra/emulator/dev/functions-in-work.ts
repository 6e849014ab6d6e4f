import { existsSync, realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { Definition } from '#shared/define.ts';
import {
  type Found,
  type FunctionProblem,
  openRegistry,
  type Registered,
  type Registry,
} from '#shared/runtime/registry.ts';
import { type RegistryInWork, registryInWork } from '#shared/runtime/registry-in-work.ts';
import { tenths } from '#shared/runtime/tenths.ts';
import { type Trouble, trouble } from '../../cli/output.ts';
import { loadFunctions, type Sources } from '../../functions.ts';
import { linkedFolders, source } from './linked-folders.ts';
import { type ReachedFiles, watchReached } from './reached-files.ts';
import { type Saves, watchSaves } from './saves.ts';
import { versionImports } from './versioned-imports.ts';

export type Reloaded =
  | {
      readonly kind: 'reloaded';
      readonly files: readonly string[];
      /** Those that are others now, by their own files or by what these import. */
      readonly functions: readonly string[];
      readonly ms: number;
    }
  /** The functions as they were go on. */
  | { readonly kind: 'kept'; readonly problems: readonly FunctionProblem[] };

export type FunctionsInWork = {
  readonly registry: RegistryInWork;
  /** Tells of each save that changed something. */
  follow(onReloaded: (reloaded: Reloaded) => void): void;
  close(): void;
};

/** A function as it is run here. */
export type Dressed = (definition: Definition) => Definition;

export type Folders = {
  /** The project's own, where it is there as sources. */
  readonly builtIn: readonly string[];
  readonly own: string | undefined;
};

/** A save is several events, and an editor's file may be empty between two of them. */
const settleMs = 15;

/** All functions, read again from their files when these are saved. */
export async function openFunctionsInWork(
  folders: Folders,
  dressed: Dressed,
): Promise<FunctionsInWork> {
  const stated = [...folders.builtIn, ...(folders.own === undefined ? [] : [folders.own])];
  // Modules have no other paths.
  const roots = stated.map((folder) => (existsSync(folder) ? realpathSync(folder) : folder));
  let linked = linkedFolders(roots);
  const isInWork = (path: string) =>
    source.test(path) &&
    (roots.some((root) => path.startsWith(root + sep)) || linked.has(dirname(path)));
  const reached = new Set<string>();
  let files: ReachedFiles | undefined;
  const imports = versionImports({
    isInWork,
    reached(path) {
      reached.add(path);
      files?.add(path);
    },
  });
  const sources: Sources = { builtIn: true, directory: folders.own };
  const first = await registered(sources, dressed);
  if (!first.ok) throw unusable(first.problems);
  const registry = registryInWork(first.registry);
  let { found } = first;
  let saves: Saves | undefined;

  const reload = async (paths: readonly string[]): Promise<Reloaded> => {
    const began = performance.now();
    linked = linkedFolders(roots);
    for (const path of paths) imports.changed(path);
    const next = await registered(sources, dressed);
    if (!next.ok) return { kind: 'kept', problems: next.problems };
    const refused = await replaced(registry, next.registry, paths);
    if (refused !== undefined) return refused;
    const changed = changedNames(found, next.found);
    found = next.found;
    const ms = tenths(performance.now() - began);
    return { kind: 'reloaded', files: paths, functions: changed, ms };
  };
  return {
    registry,
    follow(onReloaded) {
      const saved = gathered(async (paths) => onReloaded(await reload(paths)));
      saves = watchSaves(roots, saved);
      files = watchReached(saved);
      for (const path of reached) files.add(path);
    },
    close() {
      saves?.close();
      files?.close();
    },
  };
}

/** Whoever serves them may find that they cannot be served: a condition that cannot be rendered, a role that is refused. */
async function replaced(
  registry: RegistryInWork,
  next: Registry,
  paths: readonly string[],
): Promise<Reloaded | undefined> {
  const before = registry.now();
  try {
    await registry.replace(next);
    return undefined;
  } catch (cause: unknown) {
    // They were served a moment ago.
    await registry.replace(before).catch(() => {});
    const { message: why, mend } = saidOf(cause);
    return { kind: 'kept', problems: [{ file: paths.join(', '), why, mend }] };
  }
}

function saidOf(cause: unknown): { readonly message: string; readonly mend: string } {
  const { message, mend = [] } =
    cause instanceof Error ? (cause as Trouble) : trouble(String(cause));
  const lines = typeof mend === 'string' ? [mend] : mend;
  return { message, mend: lines.join(' ') || 'take back what was saved last' };
}

type Read =
  | (Extract<Registered, { readonly ok: true }> & { readonly found: readonly Found[] })
  | Extract<Registered, { readonly ok: false }>;

async function registered(sources: Sources, dressed: Dressed): Promise<Read> {
  const loaded = await loadFunctions(sources);
  if (!loaded.ok) return loaded;
  const { found } = loaded;
  const opened = openRegistry(found);
  return opened.ok ? { ok: true, found, registry: allDressed(opened.registry, dressed) } : opened;
}

/** A module that was not read again exports the very same. */
function changedNames(before: readonly Found[], after: readonly Found[]): readonly string[] {
  const known = new Set(before.map(({ exported }) => exported));
  return after
    .filter(({ exported }) => !known.has(exported))
    .map(({ exported }) => (exported as Definition).name);
}

/** Who is switched on is asked of the definition as it was found. */
function allDressed(registry: Registry, dressed: Dressed): Registry {
  const found = new Map(registry.definitions.map((each) => [dressed(each), each]));
  return {
    ...registry,
    definitions: [...found.keys()],
    isEnabled: (definition, settings) =>
      registry.isEnabled(found.get(definition) ?? definition, settings),
  };
}

function unusable(problems: readonly FunctionProblem[]): Error {
  return trouble('these functions cannot be used', {
    where: problems.map(({ file, why }) => `${file}: ${why}`),
    mend: problems.map(({ mend }) => mend),
  });
}

/** One reload at a time, of all that was saved until then. */
function gathered(act: (paths: readonly string[]) => Promise<void>): (path: string) => void {
  const paths = new Set<string>();
  let isTurning = false;
  const turn = async (): Promise<void> => {
    isTurning = true;
    try {
      while (paths.size > 0) {
        await after(settleMs);
        const now = [...paths];
        paths.clear();
        await act(now);
      }
    } finally {
      isTurning = false;
    }
  };
  return (path) => {
    paths.add(path);
    if (!isTurning) void turn();
  };
}
