import type { Buried } from '#events/queue.ts';

/** `redrive ID…`, `redrive --all`, `redrive --all FUNCTION`; `undefined`: neither of them was said. */
export function buriedFrom(words: readonly string[], all: boolean): Buried | undefined {
  const [functionName, ...more] = words;
  if (all) return more.length === 0 ? { function: functionName } : undefined;
  const ids = [...new Set(words)];
  return ids.length === 0 ? undefined : ids;
}

/** Whose they are, where that was said. */
export function functionIn(buried: Buried): string | undefined {
  return 'function' in buried ? buried.function : undefined;
}
