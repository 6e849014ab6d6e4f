import type { Pace } from './writer.ts';

type Chance = { readonly pace: Pick<Pace, 'watchSeconds'>; random(): number };

/** Another one for each watch: those that began together do not end together. */
export function watchTimeout({ pace, random }: Chance): number {
  const [min, max] = pace.watchSeconds;
  return Math.round(min + (max - min) * random());
}
