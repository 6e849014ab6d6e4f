import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Files that are imported anew after a change, they and whoever imports them. */
export type VersionedImports = {
  changed(path: string): void;
};

const ours = 'gatehouse';

/**
 * Node keeps a module for as long as the process lives; under another address it is another module. Only what hangs on
 * the changed file is read again, so that a reload is a matter of milliseconds. Old versions stay in memory: a few
 * kilobytes a save.
 */
export function versionImports(isInWork: (path: string) => boolean): VersionedImports {
  const versions = new Map<string, number>();
  const importers = new Map<string, Set<string>>();

  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const path = pathIn(resolved.url, isInWork);
      if (path === undefined) return resolved;
      const importer = context.parentURL && pathIn(context.parentURL, isInWork);
      if (importer) importersOf(path).add(importer);
      const version = versions.get(path) ?? 0;
      return version === 0
        ? resolved
        : { ...resolved, url: `${bare(resolved.url)}?${ours}=${version}` };
    },
  });

  function importersOf(path: string): Set<string> {
    const known = importers.get(path) ?? new Set();
    importers.set(path, known);
    return known;
  }
  function bump(path: string, bumped: Set<string>): void {
    if (bumped.has(path)) return;
    bumped.add(path);
    versions.set(path, (versions.get(path) ?? 0) + 1);
    for (const importer of importersOf(path)) bump(importer, bumped);
  }
  return { changed: (path) => bump(path, new Set()) };
}

function pathIn(url: string, isInWork: (path: string) => boolean): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const path = fileURLToPath(bare(url));
  return isInWork(path) ? path : undefined;
}

function bare(url: string): string {
  return url.replace(/\?.*$/, '');
}
