import { setTimeout as after } from 'node:timers/promises';
import { freePort } from '../../emulator/dev/free-port.ts';
import { notStarted } from '../../emulator/dev/not-started.ts';
import type { DevOptions } from '../../emulator/dev/open-dev.ts';
import { keepPostgres } from '../database.ts';

/** In a cluster of its own; `undefined` where it was told to end before it had begun. */
export async function openHere(options: Omit<DevOptions, 'database'>) {
  const { stopped } = options;
  try {
    const { database } = await comingUp(options);
    const { openDev } = await import('../../emulator/dev/open-dev.ts');
    return { ...(await openDev({ ...options, database })), stopped };
  } catch (cause: unknown) {
    if (stopped.aborted && cause === stopped.reason) return undefined;
    throw cause;
  }
}

/** A warm one has begun by then. */
const headStartMs = 60;

/** A process of its own, which comes up while ours reads its modules: a third of a start, in which nothing else turns. */
async function comingUp({ stateFolder, log }: Pick<DevOptions, 'stateFolder' | 'log'>) {
  const { promise: hasBegun, resolve } = Promise.withResolvers<void>();
  const database = keepPostgres(stateFolder, (text) => {
    log.debug({}, text);
    resolve();
  });
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
