import { getHeapSpaceStatistics } from 'node:v8';

const rounds = 4;

/**
 * How many bytes a call leaves in the old heap, where only a look through the whole heap finds them: the most of several
 * rounds, since there may be such a look in one of them.
 */
export async function grownOld(times: number, call: () => unknown): Promise<number> {
  const grown: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = oldBytes();
    for (let time = 0; time < times; time += 1) await call();
    grown.push((oldBytes() - before) / times);
  }
  // What a process keeps for good comes with the first.
  return Math.max(...grown.slice(1));
}

function oldBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => /^(?:old|large_object)_space$/.test(space_name))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}
