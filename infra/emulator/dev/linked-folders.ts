import { readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a function's file, or one that it imports, is called. */
export const source = /\.[cm]?[jt]s$/;

/** Where sources lie that a link in one of these folders leads to: they are edited there. */
export function linkedFolders(roots: readonly string[]): ReadonlySet<string> {
  return new Set(roots.flatMap(linksBelow).flatMap((link) => realFolderOf(link) ?? []));
}

/** `undefined`: the link leads nowhere. */
export function realFolderOf(link: string): string | undefined {
  try {
    return dirname(realpathSync(link));
  } catch {
    return undefined;
  }
}

function linksBelow(root: string): readonly string[] {
  return entriesOf(root, { recursive: true })
    .filter((entry) => entry.isSymbolicLink() && source.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** Of a folder that is gone: none. */
export function entriesOf(folder: string, { recursive = false } = {}) {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive });
  } catch (cause: unknown) {
    if (isGone(cause)) return [];
    throw cause;
  }
}

export function isGone(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}
