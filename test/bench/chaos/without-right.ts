import { as } from './database.ts';
import { lapsesIn } from './lapses.ts';
import { type Overlap, withoutExcuse } from './overlaps.ts';
import type { World } from './world.ts';

export type WithoutRight = {
  /** Two runs of one case at once, and both could settle. */
  readonly together: readonly Overlap[];
  /** Receipts that ended without a settlement: as many times two runs at once were nobody's fault. */
  readonly lapses: number;
};

export async function runsWithoutRight({
  checker,
  database,
}: Pick<World, 'checker' | 'database'>): Promise<WithoutRight> {
  const lapses = await as(database.url, lapsesIn);
  const { startedAt } = database;
  const together = withoutExcuse(checker.overlaps, { lapses, startedAt });
  return { together, lapses: lapses.length };
}
