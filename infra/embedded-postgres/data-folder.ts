import { randomBytes } from 'node:crypto';
import {
  chmod,
  lchown,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { trouble } from '../cli/output.ts';
import { afresh, notStarted } from './not-started.ts';
import { isPresence } from './presence.ts';
import { supervise } from './supervised.ts';
import { type Account, ownerOf, type Way } from './way.ts';

export type Making = {
  /** Our part of the state folder. */
  readonly folder: string;
  /** Of the binaries. */
  readonly root: string;
  readonly libraries: string;
  /** Where it is not known, the server itself refuses what it cannot read. */
  readonly version?: string | undefined;
  readonly way: Way;
  readonly me: Pick<Account, 'uid' | 'gid'>;
  readonly isDurable: boolean;
  readonly log: (text: string) => void;
  /** The process that makes it has begun. */
  readonly onLaunched: () => void;
};

export const superuser = 'gatehouse';

/** The data folder, made if there is none, and its password. */
export async function dataFolder(making: Making): Promise<{ data: string; password: string }> {
  const data = join(making.folder, 'data');
  const owner = ownerOf(making.way, making.me);
  await removeHalfMade(making.folder);
  if (await isThere(data)) {
    await giveTo(making, owner);
    if (making.version !== undefined) await refuseOtherVersion(data, making.version);
  } else {
    await make(making, { data, owner });
  }
  return { data, password: await textOf(join(making.folder, 'password')) };
}

async function textOf(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw trouble('the data of the embedded Postgres are not whole', {
      ...{ where: path, cause },
      mend: ['put back what is missing', ...afresh],
    });
  });
  return text.trim();
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

type Place = { readonly data: string; readonly owner: Pick<Account, 'uid' | 'gid'> };

/** Made beside and renamed: what is called `data` is whole. */
async function make(making: Making, { data, owner }: Place): Promise<void> {
  const password = join(making.folder, 'password');
  const half = join(making.folder, `making-${randomBytes(6).toString('hex')}`);
  await rm(password, { force: true });
  await writeFile(password, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 });
  await mkdir(half, { mode: 0o700 });
  await giveTo(making, owner);
  await initdb(making, { half, password });
  await rename(half, data);
}

async function initdb(making: Making, at: { half: string; password: string }): Promise<void> {
  const { root, libraries, way, isDurable, onLaunched } = making;
  const command = join(root, 'bin/initdb');
  const args = [
    ...['-D', at.half, '-U', superuser, '-A', 'scram-sha-256', `--pwfile=${at.password}`],
    ...['-E', 'UTF8', '--locale=C', ...(isDurable ? [] : ['--no-sync'])],
  ];
  const made = supervise({ command, args, libraries }, way);
  onLaunched();
  const code = await made.ended;
  if (code === 0) return;
  throw notStarted({
    what: `could not make its data folder (${code})`,
    folder: making.folder,
    said: made.said(),
  });
}

/** A half-made folder has nothing in it that anybody was promised. */
async function removeHalfMade(folder: string): Promise<void> {
  const halves = (await readdir(folder)).filter((name) => name.startsWith('making-'));
  for (const name of halves) await rm(join(folder, name), { recursive: true, force: true });
}

/** The way may be another one than last time: root today, oneself yesterday. */
async function giveTo({ folder, me, log }: Making, owner: Place['owner']): Promise<void> {
  await chmod(folder, 0o700);
  if (me.uid !== 0) return;
  const data = await stat(join(folder, 'data')).catch(() => undefined);
  const isTheirs = data === undefined || data.uid === owner.uid;
  if (!isTheirs) {
    log(`${folder} changes hands, from the user ${data.uid} to ${owner.uid}`);
  }
  // Links are not followed: what stands in the folder may have been put there by its user.
  const names = (await readdir(folder, { recursive: !isTheirs })).filter((n) => !isPresence(n));
  for (const name of ['.', ...names]) await lchown(join(folder, name), owner.uid, owner.gid);
}

async function refuseOtherVersion(data: string, version: string): Promise<void> {
  const made = await textOf(join(data, 'PG_VERSION'));
  const ours = version.split('.')[0] ?? version;
  if (made === ours) return;
  throw trouble(`the embedded Postgres is version ${ours}, its data are of version ${made}`, {
    where: data,
    mend: [`dump them with Postgres ${made} (pg_dump)`, ...afresh],
  });
}
