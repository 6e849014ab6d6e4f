import { isOutage } from '../outage.ts';
import type { Process, Stage } from '../stage.ts';

/** Asks again until it is answered, with a pause. */
export async function insist<T>(
  { stage, by }: { readonly stage: Stage; readonly by: Process },
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (cause: unknown) {
      if (!isOutage(cause)) throw cause;
    }
    await rest(stage, by, 1_000);
  }
}

export function rest(stage: Stage, by: Process, ms: number): Promise<void> {
  const until = stage.now() + ms;
  return stage.park<void>({
    by,
    what: `has waited ${ms} ms`,
    isReady: () => stage.now() >= until,
    wakesAt: () => until,
    answer: () => {},
  });
}
