import type { Schedule } from '#events/schedule.ts';
import { failureOf, isRefusal } from '#shared/adapters/database/failure.ts';
import type { Fate } from './fate.ts';

/**
 * Puts on the schedule what has to go there. What it refuses for what it holds is buried: asked again it would be refused
 * again, and keep its group and a hand for ever.
 */
export async function putOnSchedule(fate: Fate, schedule: Pick<Schedule, 'add'>): Promise<Fate> {
  if (fate.kind !== 'schedule') return fate;
  try {
    await schedule.add([fate.wakeup]);
    return fate;
  } catch (cause: unknown) {
    if (!isRefusal(cause)) throw cause;
    // Its own text may repeat what it refused, and a reason is shown to many.
    return { kind: 'bury', why: `it cannot be run again: ${failureOf(cause).what}`, cause };
  }
}
