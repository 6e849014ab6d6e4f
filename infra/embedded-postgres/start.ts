import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { trouble } from '../cli/output.ts';
import { type Binaries, packagedBinaries } from './binaries.ts';
import { claim } from './claim.ts';
import { dataFolder, superuser } from './data-folder.ts';
import { type Launched, launch } from './launch.ts';
import { stopLeftOver } from './left-over.ts';
import { type Lodging, lodge, lodgedBefore, ownerOfData } from './lodging.ts';
import { makeFolder } from './make-folder.ts';
import { type Account, accountsIn, ownersFirst, type Way, waysFor } from './way.ts';

export type Starting = {
  /** Of its own in the state folder; made where it is missing. */
  readonly folder: string;
  readonly log?: (text: string) => void;
  /** A process of it has begun, the server’s or the one that makes its data, and goes on without ours. */
  readonly onLaunched?: () => void;
  /** `false`: faster, and a power cut may lose everything. For tests. */
  readonly isDurable?: boolean;
  /** Beside the standing ones, or in their place. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Another installation than the platform package; has `bin`. */
  readonly binaries?: Binaries;
  /** Where to live when nobody but root can enter the folder. */
  readonly elsewhere?: string;
  readonly pickPort?: () => Promise<number>;
  /** As whom to try it, best first; found out where it is left out. */
  readonly ways?: readonly Way[];
};

export type EmbeddedPostgres = {
  readonly url: string;
  /** The folder of its data, which may be elsewhere. */
  readonly data: string;
  /** Resolves when it has ended, by whatever. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
};

const careless = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

export async function startPostgres(starting: Starting): Promise<EmbeddedPostgres> {
  const binaries = starting.binaries ?? (await packagedBinaries());
  const folder = await ownFolder(starting.folder);
  const release = await claimFolder(folder);
  try {
    const started = await startClaimed({ ...starting, folder, binaries });
    const ended = started.ended.finally(release);
    // Heard by whoever asks for it, and no reason to die for who does not.
    ended.catch(() => undefined);
    const stop = async () => {
      await started.stop();
      await ended;
    };
    return { ...started, ended, stop };
  } catch (cause: unknown) {
    await release();
    throw isNotOurs(cause, folder) ? anothers(folder, cause) : cause;
  }
}

/** Throws `InUse` where another process has it; what it returns lets it go. */
export async function claimFolder(folder: string): Promise<() => Promise<void>> {
  const claimed = await claim(folder);
  if (claimed.kind === 'taken') throw inUse(folder, claimed.by);
  return claimed.release;
}

async function ownFolder(folder: string): Promise<string> {
  try {
    await makeFolder(folder);
    return await realpath(folder);
  } catch (cause: unknown) {
    throw trouble('the state folder cannot be made', {
      where: folder,
      mend: 'name another folder by GATEHOUSE_STATE, or make room and the right to write there',
      cause,
    });
  }
}

/** As after a `sudo gatehouse`, which gives it to the user of Postgres. */
function isNotOurs(cause: unknown, folder: string): boolean {
  if (!(cause instanceof Error && 'code' in cause && 'path' in cause)) return false;
  return /^(EACCES|EPERM)$/.test(String(cause.code)) && String(cause.path).startsWith(folder);
}

function anothers(folder: string, cause: unknown): Error {
  return trouble('the state folder is another user’s', {
    where: folder,
    mend: [
      `sudo chown -R "$(id -un)" '${folder}'`,
      'or name another folder by GATEHOUSE_STATE, or run it as that user',
    ],
    cause,
  });
}

type Claimed = Starting & { readonly binaries: Binaries };

async function startClaimed(starting: Claimed): Promise<EmbeddedPostgres> {
  const { log = () => undefined } = starting;
  const me = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const owner = await ownerOfData(starting.folder);
  const known = starting.ways ?? waysFor(me.uid, await accounts());
  const ways = ownersFirst(known, { me, owner });
  const wish = { elsewhere: standardElsewhere, ...starting, ways, me, log };
  const before = await lodgedBefore(wish);
  if (before !== undefined) {
    try {
      return await begun(before, wish);
    } catch (cause: unknown) {
      const why = cause instanceof Error ? cause.message : String(cause);
      log(`it did not start as it was run before (${why}), so other ways are tried`);
    }
  }
  return begun(await lodge(wish), wish);
}

type Beginning = Claimed & { readonly me: Pick<Account, 'uid' | 'gid'>; readonly log: Say };
type Say = (text: string) => void;

async function begun(lodging: Lodging, beginning: Beginning): Promise<EmbeddedPostgres> {
  const { me, log, onLaunched = () => undefined, isDurable = true, settings = {} } = beginning;
  if (await stopLeftOver(join(lodging.folder, 'data'))) log('a left-over Postgres was stopped');

  const { data, password } = await dataFolder({ ...lodging, me, log, isDurable, onLaunched });
  const launched = await launch({
    ...lodging,
    data,
    settings: { ...(isDurable ? {} : careless), ...settings },
    log,
    onLaunched,
    ...(beginning.pickPort === undefined ? {} : { pickPort: beginning.pickPort }),
  });
  return running(launched, { data, password });
}

async function accounts() {
  return accountsIn(await readFile('/etc/passwd', 'utf8'));
}

const standardElsewhere = '/var/lib/gatehouse';

type Known = { readonly data: string; readonly password: string };

function running({ port, server }: Launched, { data, password }: Known): EmbeddedPostgres {
  const url = `postgres://${superuser}:${password}@127.0.0.1:${port}/postgres`;
  const stop = async () => {
    server.end();
    const late = setTimeout(() => void stopLeftOver(data), patienceMs);
    await server.ended;
    clearTimeout(late);
  };
  return { url, data, ended: server.ended, stop };
}

/** A fast shutdown writes what is in memory to the disk, which takes what it takes. */
const patienceMs = 30_000;

export type InUse = Error & { readonly usedBy: string };

function inUse(folder: string, by: string): InUse {
  const error = trouble('another Gatehouse uses this state folder', {
    where: `${folder}, by ${by}`,
    mend: 'stop that one, or name another folder; two of them can share one server by DATABASE_URL',
  });
  return Object.assign(error, { usedBy: by });
}

/** It may end soon, or say where its server is. */
export function isInUse(cause: unknown): cause is InUse {
  return cause instanceof Error && 'usedBy' in cause;
}
