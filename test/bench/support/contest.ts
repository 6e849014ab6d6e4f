/** Each side is measured in each round; who begins changes from round to round, so that a drift of the machine favours nobody. */
export async function inTurns<Side extends string, T>(
  rounds: number,
  sides: readonly Side[],
  measure: (side: Side, round: number) => Promise<T>,
): Promise<Readonly<Record<Side, readonly T[]>>> {
  const found = Object.fromEntries(sides.map((side) => [side, [] as T[]])) as Record<Side, T[]>;
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? sides : sides.toReversed();
    for (const side of order) found[side].push(await measure(side, round));
  }
  return found;
}
