import type { Database } from '#shared/adapters/database/open.ts';
import type { Restarts, SettingsPort } from '#shared/ports.ts';
import { type Once, once } from './once.ts';

type Sources = { readonly database: Once<Database>; readonly settings: SettingsPort };

/** Connects when somebody asks: few functions do. */
export function lazyRestarts({ database, settings }: Sources): Restarts {
  const { get } = once(async () => {
    const { sql } = await database.get();
    const { restartsOn } = await import('#shared/adapters/database/restarts.ts');
    return restartsOn(sql, { cluster: settings.current().installation.cluster });
  });
  return {
    find: async (...given) => (await get()).find(...given),
    listUnsettled: async () => (await get()).listUnsettled(),
    intend: async (...given) => (await get()).intend(...given),
    takeTurn: async (...given) => (await get()).takeTurn(...given),
    giveTurnBack: async (...given) => (await get()).giveTurnBack(...given),
    settle: async (...given) => (await get()).settle(...given),
    noteEvicted: async (...given) => (await get()).noteEvicted(...given),
    trips: async () => (await get()).trips(),
    ageMs: async (...given) => (await get()).ageMs(...given),
    tally: async () => (await get()).tally(),
  };
}
