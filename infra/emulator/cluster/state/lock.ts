import { mkdir } from 'node:fs/promises';
import { claim } from '../../../embedded-postgres/claim.ts';

/**
 * One cluster a folder: two would write over each other. Throws where somebody has it. A lock file would be left behind by
 * a killed process, and of two that find it so each could take the other's away.
 */
export async function lock(directory: string): Promise<() => Promise<void>> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const claimed = await claim(directory);
  if (claimed.kind === 'ours') return claimed.release;
  throw new Error(`the state folder ${directory} is in use by ${claimed.by}`);
}
