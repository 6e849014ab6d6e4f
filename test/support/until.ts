import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for what is to happen soon; for how long it took, in milliseconds. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  withinMs = 5_000,
): Promise<number> {
  const from = performance.now();
  while (!(await holds())) {
    if (performance.now() - from > withinMs) throw new Error(`not within ${withinMs} ms`);
    await sleep(2);
  }
  return performance.now() - from;
}
