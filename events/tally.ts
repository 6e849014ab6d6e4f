import type { Buried, Taken } from './queue.ts';

/** By ids, not by numbers: where several letters have one id, as many as were named may be there, and one of the named not. */
export function openTally(buried: Buried) {
  const missing = new Set('function' in buried ? [] : buried);
  let count = 0;
  return {
    add(found: readonly string[], taken = found.length): void {
      for (const id of found) missing.delete(id);
      count += taken;
    },
    taken: (): Taken => ({ count, missing: [...missing] }),
  };
}
