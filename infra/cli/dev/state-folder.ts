import { existsSync } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { claim } from '../../embedded-postgres/claim.ts';
import { makeFolder } from '../../embedded-postgres/make-folder.ts';
import { lock } from '../../emulator/cluster/state/lock.ts';
import { notStarted } from '../../emulator/dev/not-started.ts';
import { trouble } from '../output.ts';

/** There, and ours to write in; before anything is started. */
export async function openStateFolder(folder: string): Promise<void> {
  if (await isFile(folder)) {
    throw trouble('the state folder is a file', {
      where: folder,
      mend: 'name a folder by --state; it is made where it is missing',
    });
  }
  const probe = join(folder, `.writable-${process.pid}`);
  try {
    await makeFolder(folder);
    await writeFile(probe, 'a');
    await rm(probe);
  } catch (cause: unknown) {
    throw trouble('the state folder cannot be written', {
      where: folder,
      mend: 'name another folder by --state, or make room and the right to write in this one',
      cause,
    });
  }
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === false;
}

/** What is ours in there, and nothing that somebody else may have put beside it; never of one that runs. */
export async function forgetState(folder: string): Promise<void> {
  const [cluster, postgres] = [join(folder, 'cluster'), join(folder, 'postgres')];
  const unlock = await locked(cluster);
  try {
    await refuseInUse(postgres);
    await rm(postgres, { recursive: true, force: true });
    await rm(cluster, { recursive: true, force: true });
  } finally {
    await unlock();
  }
}

function locked(directory: string): Promise<() => Promise<void>> {
  return lock(directory).catch((cause: unknown) => {
    throw notStarted(cause, { port: 0, directory });
  });
}

async function refuseInUse(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const claimed = await claim(folder);
  if (claimed.kind === 'ours') return claimed.release();
  throw notStarted(new Error(`${folder} is in use by ${claimed.by}`), {
    port: 0,
    directory: folder,
  });
}
