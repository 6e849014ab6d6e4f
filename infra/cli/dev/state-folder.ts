import { existsSync } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../embedded-postgres/make-folder.ts';
import { claimFolder } from '../../embedded-postgres/start.ts';
import { lock } from '../../emulator/cluster/state/lock.ts';
import { isBegun } from '../../emulator/cluster/state/state-log.ts';
import { notStarted } from '../../emulator/dev/not-started.ts';
import { findDatabase } from '../database.ts';
import { trouble } from '../output.ts';
import { type Waiting, whenFree } from '../when-free.ts';

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

/** A database that has followed a cluster of which nothing is left: what comes now is no change of that one. */
export function sayWhatIsLost(folder: string, say: (text: string) => void): void {
  const [cluster, data] = [join(folder, 'cluster'), join(folder, 'postgres/data')];
  const log = join(cluster, 'state.log');
  if (!existsSync(cluster) || !existsSync(data) || isBegun(log)) return;
  say(
    `the cluster of last time is lost: there is nothing in ${log}; a new one begins, and what the database knew of the old one counts as deleted (to have it back, end this and put the log there again)`,
  );
}

/** What is ours in there, and nothing that somebody else may have put beside it; never of one that runs. */
export async function forgetState(
  folder: string,
  waiting: Pick<Waiting, 'say' | 'patienceMs'>,
): Promise<void> {
  const [cluster, postgres] = [join(folder, 'cluster'), join(folder, 'postgres')];
  const unlock = await locked(cluster);
  try {
    const isKept = async () =>
      (await findDatabase({ databaseUrl: undefined, stateFolder: folder })) !== undefined;
    await refuseInUse(postgres, { ...waiting, isKept });
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

async function refuseInUse(folder: string, waiting: Waiting): Promise<void> {
  if (!existsSync(folder)) return;
  const release = await whenFree(() => claimFolder(folder), waiting);
  await release();
}
