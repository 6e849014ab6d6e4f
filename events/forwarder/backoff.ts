import { backoff } from '#shared/domain/backoff.ts';
import type { World } from './world.ts';

export function backoffMs(times: number, { pace, random }: Pick<World, 'pace' | 'random'>): number {
  return backoff(times, { first: pace.firstBackoffMs, longest: pace.maxBackoffMs }, random());
}
