import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A disk of its own, which others can fill up. Only root may mount one. */
export type SmallDisk = {
  /** To the last byte. */
  fill(): void;
  free(): void;
  remove(): void;
};

export function mountDisk(at: string, megabytes: number): SmallDisk {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `mode=755,size=${megabytes}m`, 'gatehouse', at]);
  const filler = join(at, 'filler');
  let isThere = true;
  const remove = () => {
    // Whoever is about to go may still have files open.
    if (isThere) execFileSync('umount', ['--lazy', at]);
    isThere = false;
  };
  // Whatever is interrupted before its world stands leaves none.
  process.once('exit', remove);
  return {
    fill() {
      for (const bytes of [1_048_576, 4_096]) while (isWritten(filler, bytes));
    },
    free: () => rmSync(filler, { force: true }),
    remove,
  };
}

function isWritten(file: string, bytes: number): boolean {
  try {
    writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' });
    return true;
  } catch (cause: unknown) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw cause;
  }
}
