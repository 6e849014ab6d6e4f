import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Within the folder of the run, with which it goes. */
export function temporaryFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), name));
}
