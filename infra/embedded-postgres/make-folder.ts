import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** With those above it. Node's own way turns for ever where one is refused as if those above were missing, as in /proc. */
export async function makeFolder(folder: string, mode = 0o700): Promise<void> {
  if (await isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) await makeFolder(above, mode);
  try {
    await mkdir(folder, { mode });
  } catch (cause: unknown) {
    // Somebody else may have been faster.
    if (!(await isFolder(folder))) throw cause;
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}
