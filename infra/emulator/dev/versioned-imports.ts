import { createRequire, registerHooks } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Files that are imported anew after a change, they and whoever imports them. */
export type VersionedImports = {
  changed(path: string): void;
};

export type InWork = {
  /** Whoever imports it. */
  readonly isInWork: (path: string) => boolean;
  /** It is in work from here on, since what is in work imports it, and before it is read; it may be missing. */
  readonly reached: (path: string) => void;
};

const ours = 'gatehouse';
/** Modules of CommonJS are kept by their file's name, whatever address they are imported by. */
const { cache } = createRequire(import.meta.url);

/**
 * Node keeps a module for as long as the process lives; under another address it is another module. Only what hangs on
 * the changed file is read again, so that a reload is a matter of milliseconds. Old versions stay in memory: a few
 * kilobytes a save. What a file in work imports is in work too, packages excepted.
 */
export function versionImports({ isInWork, reached }: InWork): VersionedImports {
  const versions = new Map<string, number>();
  const importers = new Map<string, Set<string>>();
  const isKnown = (path: string) => importers.has(path) || isInWork(path);

  registerHooks({
    resolve(specifier, context, next) {
      const importedFrom = importedBy(pathIn(context.parentURL));
      const resolved = orMissing(() => next(specifier, context), importedFrom);
      const path = pathIn(resolved.url);
      if (path === undefined) return resolved;
      importedFrom(path);
      const version = versions.get(path) ?? 0;
      return version === 0
        ? resolved
        : { ...resolved, url: `${bare(resolved.url)}?${ours}=${version}` };
    },
  });

  function importedBy(importer: string | undefined): (path: string) => void {
    if (importer === undefined || !isKnown(importer)) return () => {};
    return (path) => {
      if (!isKnown(path)) {
        if (path.includes(`${sep}node_modules${sep}`)) return;
        reached(path);
      }
      importersOf(path).add(importer);
    };
  }
  function importersOf(path: string): Set<string> {
    const known = importers.get(path) ?? new Set();
    importers.set(path, known);
    return known;
  }
  function bump(path: string, bumped: Set<string>): void {
    if (bumped.has(path)) return;
    bumped.add(path);
    versions.set(path, (versions.get(path) ?? 0) + 1);
    delete cache[path];
    for (const importer of importers.get(path) ?? []) bump(importer, bumped);
  }
  return { changed: (path) => bump(path, new Set()) };
}

/** What an import leads to, and tells where one leads to nothing. */
function orMissing<T>(resolve: () => T, missing: (path: string) => void): T {
  try {
    return resolve();
  } catch (cause: unknown) {
    const path = cause instanceof Error && 'url' in cause ? pathIn(String(cause.url)) : undefined;
    if (path !== undefined) missing(path);
    throw cause;
  }
}

function pathIn(url: string | undefined): string | undefined {
  return url?.startsWith('file:') ? fileURLToPath(bare(url)) : undefined;
}

function bare(url: string): string {
  return url.replace(/\?.*$/, '');
}
