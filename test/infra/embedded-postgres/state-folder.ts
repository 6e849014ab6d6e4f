import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that others can enter, as the one of a project usually is. */
export function stateFolder() {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-embedded-'));
  chmodSync(root, 0o755);
  return {
    root,
    folder: join(root, 'postgres'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Bounded; for what no event tells: the end of a process that is not our child. */
export async function until(isSo: () => Promise<boolean>, ms = 10_000): Promise<boolean> {
  const end = performance.now() + ms;
  while (!(await isSo())) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}
