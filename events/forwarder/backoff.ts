import type { World } from './world.ts';

/** Twice as long after each time in a row, with jitter. */
export function backoffMs(times: number, { pace, random }: Pick<World, 'pace' | 'random'>): number {
  return Math.min(pace.firstBackoffMs * 2 ** times, pace.maxBackoffMs) * (0.5 + 0.5 * random());
}
