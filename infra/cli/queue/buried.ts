import type { Buried } from '#events/queue.ts';

/** `redrive ID…`, `redrive --all`, `redrive --all FUNCTION`; `undefined`: neither of them was said. */
export function buriedFrom(words: readonly string[], all: boolean): Buried | undefined {
  const [functionName, ...more] = words;
  if (all) return more.length === 0 ? { function: functionName } : undefined;
  const ids = [...new Set(words)];
  return ids.length === 0 ? undefined : ids;
}

/** Of those that were named. Where two share an id, as somebody wrote them by hand, none is missing. */
export function missingOf(buried: Buried, found: number): number {
  return 'function' in buried ? 0 : Math.max(0, buried.length - found);
}
