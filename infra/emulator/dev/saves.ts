import { type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';

export type Saves = { close(): void };

type Watched = { readonly birth: string; readonly watcher: FSWatcher };

const source = /\.[cm]?[jt]s$/;

/**
 * Tells of each source that is saved below these folders, also by a rename, and of folders that go. A watch a folder:
 * Node's recursive one watches each file on Linux, and is deaf to whatever was renamed over one.
 */
export function watchSaves(roots: readonly string[], saved: (path: string) => void): Saves {
  const folders = new Map<string, Watched>();

  const look = (folder: string, told: (path: string) => void): void => {
    const birth = birthOf(folder);
    if (birth === folders.get(folder)?.birth) return;
    leave(folder);
    if (birth === undefined) told(folder);
    else enter(folder, birth, told);
  };
  /** Heard first, then listed: what comes meanwhile is told twice, and never missed. */
  const enter = (folder: string, birth: string, told: (path: string) => void): void => {
    const watcher = heard(folder, (name) => changed(join(folder, name)));
    if (watcher === undefined) return;
    folders.set(folder, { birth, watcher });
    for (const { name, isFolder } of entriesOf(folder)) {
      const path = join(folder, name);
      if (isFolder) look(path, told);
      else if (source.test(name)) told(path);
    }
  };
  const changed = (path: string): void => (source.test(path) ? saved(path) : look(path, saved));
  const leave = (folder: string): void => {
    for (const [path, { watcher }] of folders) {
      if (!`${path}${sep}`.startsWith(`${folder}${sep}`)) continue;
      watcher.close();
      folders.delete(path);
    }
  };

  // A folder may be replaced as a whole.
  const above = roots.map((root) =>
    heard(dirname(root), (name) => name === basename(root) && look(root, saved)),
  );
  for (const root of roots) look(root, () => {});
  return {
    close() {
      for (const { watcher } of folders.values()) watcher.close();
      for (const watcher of above) watcher?.close();
    },
  };
}

/** `undefined`: it is gone. Whoever watches what is above it hears of that. */
function heard(folder: string, tell: (name: string) => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      if (name !== null) tell(name);
    });
    return watcher.on('error', () => watcher.close());
  } catch (cause: unknown) {
    if (isGone(cause)) return undefined;
    throw cause;
  }
}

/** Tells a folder from another one in its place, which may have its number. */
function birthOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() ? `${found.ino} ${found.birthtimeMs}` : undefined;
}

function entriesOf(folder: string) {
  try {
    const found = readdirSync(folder, { withFileTypes: true });
    return found.map((each) => ({ name: each.name, isFolder: each.isDirectory() }));
  } catch (cause: unknown) {
    if (isGone(cause)) return [];
    throw cause;
  }
}

function isGone(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}
