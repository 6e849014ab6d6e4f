import { addressOf } from '#shared/adapters/database/address.ts';
import { databaseError } from '#shared/adapters/database/failure.ts';
import { listenToTail } from '#shared/adapters/database/tail.ts';
import { unlessAborted } from '#shared/adapters/unless-aborted.ts';
import { findDatabase } from '../database.ts';
import type { Follow } from '../events.ts';
import { trouble, type World } from '../output.ts';
import { databaseLookedInto } from '../state.ts';

/** On the database that the environment names, or that another process of ours runs. */
export function followOn({ environment, terminal }: World): Follow {
  const say = (text: string) => terminal.complain(`${text}\n`);
  // It stays with whom it found first, however often the connection is lost.
  let looked: ReturnType<typeof databaseLookedInto> | undefined;
  const found = async (state: string | undefined) => {
    looked ??= databaseLookedInto(environment, state, say);
    const named = await looked;
    const url = await findDatabase(named);
    if (url === undefined) throw nobodyWorks(named.stateFolder);
    return url;
  };
  return async ({ state, ...hearing }) => {
    const url = await unlessAborted(hearing.signal, found(state));
    if (url === undefined) return;
    try {
      await listenToTail({ url, ...hearing });
    } catch (cause: unknown) {
      throw databaseError(cause, addressOf(url).where);
    }
  };
}

function nobodyWorks(stateFolder: string): Error {
  return trouble('there is nobody to listen to', {
    where: `DATABASE_URL is not set, and no gatehouse dev or serve runs with the state folder ${stateFolder}`,
    mend: 'set DATABASE_URL to the one that forwarder and worker use, or --state to the folder of gatehouse dev, or start one of them here',
  });
}
