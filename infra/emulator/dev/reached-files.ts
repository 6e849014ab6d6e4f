import type { FSWatcher } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { birthOf, heard, type Saves, type Watched } from './saves.ts';

export type ReachedFiles = Saves & {
  /** One that is there, or may come. */
  add(path: string): void;
};

/** Tells of each save of these files, wherever they lie, and of nothing beside them. */
export function watchReached(saved: (path: string) => void): ReachedFiles {
  const files = new Set<string>();
  const folders = new Map<string, Watched>();
  const above = new Map<string, FSWatcher | undefined>();

  const told = (path: string) => files.has(path) && saved(path);
  const enter = (folder: string): void => {
    const birth = birthOf(folder);
    if (birth === folders.get(folder)?.birth) return;
    folders.get(folder)?.watcher.close();
    folders.delete(folder);
    const watcher = heard(folder, (name) => told(join(folder, name)));
    if (birth !== undefined && watcher !== undefined) folders.set(folder, { birth, watcher });
  };
  /** Made, removed or replaced as a whole, as by a checkout. */
  const replaced = (folder: string): void => {
    enter(folder);
    for (const path of files) if (dirname(path) === folder) saved(path);
  };
  return {
    add(path) {
      if (files.has(path)) return;
      files.add(path);
      const folder = dirname(path);
      if (above.has(folder)) return;
      const isIt = (name: string) => name === basename(folder);
      above.set(
        folder,
        heard(dirname(folder), (name) => isIt(name) && replaced(folder)),
      );
      enter(folder);
    },
    close() {
      for (const { watcher } of folders.values()) watcher.close();
      for (const watcher of above.values()) watcher?.close();
    },
  };
}
