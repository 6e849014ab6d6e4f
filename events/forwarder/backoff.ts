import { backoff } from '#shared/domain/backoff.ts';
import type { World } from './world.ts';

export function backoffMs(times: number, { pace, random }: Pick<World, 'pace' | 'random'>): number {
  return backoff(times, { first: pace.firstBackoffMs, longest: pace.maxBackoffMs }, random());
}

/** What the server asked for, where it threw its no. */
export function leastMsOf(cause: unknown): number {
  const seconds = cause instanceof Error && 'afterSeconds' in cause ? cause.afterSeconds : 0;
  return typeof seconds === 'number' ? seconds * 1_000 : 0;
}
