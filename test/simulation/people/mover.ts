import { ask, type Database } from '../database/database.ts';
import type { Process } from '../stage.ts';
import { insist } from './insist.ts';

/** Puts on the queue what is due, as worker and forwarder do in production. */
export async function move(database: Database, by: Process): Promise<void> {
  const { stage, schedule, wakeups } = database;
  for (;;) {
    await insist({ stage, by }, () =>
      ask(database, {
        by,
        what: 'moves what is due',
        isReady: () => wakeups.nextDue() <= stage.now(),
        wakesAt: wakeups.nextDue,
        run: () => schedule.moveDue(10),
      }),
    );
  }
}
