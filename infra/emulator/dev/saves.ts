import { type FSWatcher, lstatSync, watch } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { entriesOf, isGone, realFolderOf, source } from './linked-folders.ts';

export type Saves = { close(): void };

export type Watched = { readonly birth: string; readonly watcher: FSWatcher };

/**
 * Tells of each source that is saved below these folders, also by a rename, and of folders that go. A watch a folder:
 * Node's recursive one watches each file on Linux, and is deaf to whatever was renamed over one. What a link leads to is
 * told by its own path, with whatever lies beside it.
 */
export function watchSaves(roots: readonly string[], saved: (path: string) => void): Saves {
  const folders = new Map<string, Watched>();
  const linked = new Map<string, FSWatcher>();

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
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) look(path, told);
      else if (source.test(entry.name)) {
        follow(path);
        told(path);
      }
    }
  };
  /** One whose folder is watched anyway is heard there. */
  const follow = (path: string): void => {
    const behind = realFolderOf(path);
    if (behind === undefined || behind === dirname(path)) return;
    if (folders.has(behind) || linked.has(behind)) return;
    const watcher = heard(behind, (name) => source.test(name) && saved(join(behind, name)));
    if (watcher !== undefined) linked.set(behind, watcher);
  };
  const changed = (path: string): void => {
    if (source.test(path)) {
      follow(path);
      saved(path);
    } else look(path, saved);
  };
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
      for (const watcher of linked.values()) watcher.close();
      for (const watcher of above) watcher?.close();
    },
  };
}

/** `undefined`: it is gone. Whoever watches what is above it hears of that. */
export function heard(folder: string, tell: (name: string) => void): FSWatcher | undefined {
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
export function birthOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() ? `${found.ino} ${found.birthtimeMs}` : undefined;
}
