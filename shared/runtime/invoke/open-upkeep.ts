import type { Database } from '#shared/adapters/database/open.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import type { Upkeep } from './upkeep.ts';

/** Loaded only where a database is named: most calls need none of it. */
export async function openUpkeep(
  database: Database,
  definition: ReconcileFunction,
): Promise<Upkeep> {
  const [{ upkeepOn }, { scheduleOn }, { outboxOn }, { openOutbox }] = await Promise.all([
    import('./upkeep.ts'),
    import('#events/postgres-queue/schedule.ts'),
    import('#events/postgres-queue/outbox.ts'),
    import('#events/postgres-queue/outbox-relay.ts'),
  ]);
  const { sql } = database;
  const schedule = scheduleOn({ sql, sender: outboxOn });
  const { bodies } = openOutbox(sql);
  return upkeepOn({ definition, database, schedule, outboxOn, bodies, random: Math.random });
}
