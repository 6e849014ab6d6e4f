import { addressOf } from '#shared/adapters/database/address.ts';
import { databaseError } from '#shared/adapters/database/failure.ts';
import { listenToTail } from '#shared/adapters/database/tail.ts';
import { findDatabase } from '../database.ts';
import type { Follow } from '../events.ts';
import { trouble, type World } from '../output.ts';

/** On the database that the environment names, or that another process of ours runs. */
export function followOn({ environment }: World): Follow {
  return async (hearing) => {
    const url = await findDatabase(environment);
    if (url === undefined) throw nobodyWorks(environment.stateFolder);
    try {
      await listenToTail({ url, ...hearing });
    } catch (cause: unknown) {
      throw databaseError(cause, addressOf(url).where);
    }
  };
}

function nobodyWorks(stateFolder: string): Error {
  return trouble('there is nobody to listen to', {
    where: `DATABASE_URL is not set, and no gatehouse serve runs with the state folder ${stateFolder}`,
    mend: 'set DATABASE_URL to the one that forwarder and worker use, or start gatehouse serve here',
  });
}
