import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '#shared/runtime/config.ts';
import { pause } from '#shared/runtime/pause.ts';
import { type EmbeddedPostgres, startPostgres } from '../embedded-postgres/start.ts';
import { trouble } from './output.ts';
import { type Waiting, whenFree } from './when-free.ts';

/** Where a database answers, for as long as somebody wants it. */
export type Server = { readonly url: string; stop(): Promise<void> };

type Named = Pick<Environment, 'databaseUrl' | 'stateFolder'>;
type Say = (text: string) => unknown;

/**
 * For a verb: the one that DATABASE_URL names, else the one that another process of ours runs in the state folder, else our
 * own. That one is told to nobody: it ends with the verb, and whoever wants one meanwhile waits until then.
 */
export function databaseFor(
  named: Named,
  say: Say,
  { patienceMs }: Pick<Waiting, 'patienceMs'> = {},
): Promise<Server> {
  return whenFree(() => findOrRun(named, say), { say, patienceMs });
}

async function findOrRun(named: Named, say: Say): Promise<Server> {
  const url = await findDatabase(named);
  if (url !== undefined) return { url, stop: async () => {} };
  // Whoever uses it hears that nobody answers any more; why, its end tells.
  const keeping = { say: (text: string) => chatter.test(text) || say(text), onLost() {} };
  return runPostgres(named.stateFolder, keeping);
}

/** What Postgres says while all is well. */
export const chatter = /\[\d+\] (LOG|DETAIL|HINT|CONTEXT|STATEMENT): /;

/** The same for who has nothing to look for in a database that was never used. */
export async function databaseInUse(named: Named, say: Say): Promise<Server> {
  if (named.databaseUrl === undefined && !existsSync(join(named.stateFolder, folder))) {
    throw trouble('there is no database to look into', {
      where: `DATABASE_URL is not set, and nothing was ever served from ${named.stateFolder}`,
      mend: 'set DATABASE_URL to the one that forwarder and worker use, or --state or GATEHOUSE_STATE to their folder',
    });
  }
  return databaseFor(named, say);
}

/** For a verb that writes: what a pod has of its own goes with it, and nobody else ever looks there. */
export function refuseOwnInPod({ databaseUrl, inCluster }: Environment): void {
  if (databaseUrl !== undefined || inCluster === undefined) return;
  throw trouble('there is no database for a pod to share', {
    where: 'DATABASE_URL is not set',
    mend: 'set DATABASE_URL to a Postgres 15 or newer: postgres://user:password@host:port/name',
  });
}

/** One that answers now, or that at least is said to. */
export async function findDatabase({
  databaseUrl,
  stateFolder,
}: Named): Promise<string | undefined> {
  return databaseUrl ?? (await findRunning(stateFolder));
}

const folder = 'postgres';

/** Where nothing can bring it back, the process is told to end as by anybody else; `stop` then throws why. */
const endProcess = () => void process.kill(process.pid, 'SIGTERM');

type Kept = Omit<Waiting, 'isKept'> & Partial<Pick<Running, 'onLaunched' | 'onLost'>>;

/** Other processes find it for as long as it runs. Told of a verb that has it for a moment is who waits. */
export async function keepPostgres(
  stateFolder: string,
  say: Say,
  waiting: Kept = { say },
): Promise<Server> {
  const { onLaunched, onLost = endProcess } = waiting;
  const running = { say, onLaunched, onLost };
  const { url, stop } = await whenFree(() => runPostgres(stateFolder, running), {
    ...waiting,
    isKept: async () => (await findRunning(stateFolder)) !== undefined,
  });
  try {
    await writeFile(addressFile(stateFolder), `${url}\n`, { mode: 0o600 });
  } catch (cause: unknown) {
    await stop();
    throw cause;
  }
  return {
    url,
    async stop() {
      await rm(addressFile(stateFolder), { force: true });
      await stop();
    },
  };
}

type Running = {
  readonly say: Say;
  readonly onLaunched?: (() => void) | undefined;
  /** It is not started again: `stop` throws why. */
  readonly onLost: () => void;
};

/** Started again when it dies, under the same address; ends with us, however we end. */
async function runPostgres(
  stateFolder: string,
  { say, onLaunched = () => undefined, onLost }: Running,
): Promise<Server> {
  const stopped = new AbortController();
  // Told to stop, it says of each connection that it has ended it.
  const log = (text: string) => void (stopped.signal.aborted || say(text));
  const starting = { folder: join(stateFolder, folder), log, onLaunched };
  let running = await startPostgres(starting);
  const { url, data } = running;
  const pickPort = async () => Number(new URL(url).port);

  const startAgain = async (): Promise<EmbeddedPostgres> => {
    say('the embedded Postgres ended; it is started again');
    await pause(restartMs, stopped.signal);
    if (stopped.signal.aborted) return ended;
    if (!existsSync(data)) throw lost(data);
    const next = await startPostgres({ ...starting, pickPort }).catch((cause: unknown) => {
      say(`the embedded Postgres did not start: ${String(cause)}`);
      return ended;
    });
    // Who stopped us meanwhile ended the one before.
    if (stopped.signal.aborted) await next.stop();
    return next;
  };
  const keep = async (): Promise<void> => {
    for (;;) {
      await running.ended;
      if (stopped.signal.aborted) return;
      running = await startAgain();
    }
  };
  const keeping = keep();
  keeping.catch(onLost);
  return {
    url,
    async stop() {
      stopped.abort();
      await running.stop();
      await keeping;
    },
  };
}

const restartMs = 500;

/** Anew it would have another password, and nothing of what is used of it. */
function lost(data: string): Error {
  return trouble('the data of the embedded Postgres were deleted while it ran', {
    where: data,
    mend: [
      'start it again: it begins with an empty database, and follows the cluster anew',
      'what the queue held is lost: messages that waited, and dead ones; or put the folder back first',
    ],
  });
}

/** In the place of one that did not start. */
const ended: EmbeddedPostgres = {
  url: '',
  data: '',
  ended: Promise.resolve(),
  stop: async () => {},
};

/** Readable by us alone: it holds the password. */
function addressFile(stateFolder: string): string {
  return join(stateFolder, 'database-url');
}

/** A file that a killed process left behind names nobody who answers. */
export async function findRunning(stateFolder: string): Promise<string | undefined> {
  const url = await readFile(addressFile(stateFolder), 'utf8').catch((cause) =>
    noAddress(stateFolder, cause),
  );
  if (url === undefined) return undefined;
  const { openDatabase } = await import('#shared/adapters/database/open.ts');
  const database = openDatabase(url.trim(), { name: 'gatehouse', connections: 1 });
  try {
    await database.sql`select 1`;
    return url.trim();
  } catch {
    return undefined;
  } finally {
    await database.close();
  }
}

/** That there is none is an answer; whatever else keeps it from being read is said. */
export function noAddress(stateFolder: string, cause: NodeJS.ErrnoException): undefined {
  switch (cause.code) {
    case 'ENOENT':
      return undefined;
    case 'ENOTDIR':
      throw trouble('the state folder is a file, or in one', {
        where: stateFolder,
        mend: 'name the folder of a gatehouse dev or serve by --state or GATEHOUSE_STATE',
        cause,
      });
    case 'EACCES':
    case 'EPERM':
      throw trouble('the state folder is another user’s', {
        where: stateFolder,
        mend: 'run this as the user whose it is, or name another folder by --state or GATEHOUSE_STATE',
        cause,
      });
    default:
      throw trouble('the state folder cannot be looked into', {
        where: `${addressFile(stateFolder)}: ${cause.message}`,
        mend: 'name another folder by --state or GATEHOUSE_STATE, or remove what stands there',
        cause,
      });
  }
}
