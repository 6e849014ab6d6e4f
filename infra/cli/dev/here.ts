import { setTimeout as after } from 'node:timers/promises';
import { freePort } from '../../emulator/dev/free-port.ts';
import { notStarted } from '../../emulator/dev/not-started.ts';
import type { DevOptions } from '../../emulator/dev/open-dev.ts';
import { keepPostgres, type Server } from '../database.ts';
import { sayWhatIsLost } from './state-folder.ts';

/** In a cluster of its own; `undefined` where it was told to end before it had begun. */
export async function openHere(options: Omit<DevOptions, 'database'>) {
  const { stopped, stateFolder, say } = options;
  sayWhatIsLost(stateFolder, say);
  try {
    const { database } = await comingUp(options);
    const { openDev } = await import('../../emulator/dev/open-dev.ts').catch(stopping(database));
    return { ...(await openDev({ ...options, database })), stopped };
  } catch (cause: unknown) {
    if (stopped.aborted && cause === stopped.reason) return undefined;
    throw cause;
  }
}

/** Nobody else has it yet, and it would keep the process. */
function stopping(database: Promise<Server>): (cause: unknown) => Promise<never> {
  return async (cause) => {
    await (await database).stop();
    throw cause;
  };
}

/** It takes a third of that, unless somebody has the folder. */
const headStartMs = 200;

/** A process of its own, which comes up while ours reads its modules: a third of a start, in which nothing else turns. */
async function comingUp({ stateFolder, log, say, stopped }: Omit<DevOptions, 'database'>) {
  const { promise: hasBegun, resolve: onLaunched } = Promise.withResolvers<void>();
  const told = (text: string) => log.debug({}, text);
  const database = keepPostgres(stateFolder, told, { say, stopped, onLaunched });
  await Promise.race([hasBegun, database, after(headStartMs)]);
  return { database };
}

/** Before anything is forgotten or started because of it. */
export async function refusePortInUse(port: number | undefined, directory: string): Promise<void> {
  if (port === undefined || port === 0) return;
  await freePort(port).catch((cause: unknown) => {
    throw notStarted(cause, { port, directory });
  });
}
