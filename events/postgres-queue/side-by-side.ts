/**
 * Works go side by side as long as they may. One that may not waits for all that are under way, and those that come
 * meanwhile, and may not either, wait for it.
 */
export function sideBySideWhile(mayBe: () => boolean): <T>(work: () => Promise<T>) => Promise<T> {
  const underWay = new Set<Promise<unknown>>();
  return async (work) => {
    while (underWay.size > 0 && !mayBe()) await Promise.allSettled(underWay);
    const working = work();
    underWay.add(working);
    try {
      return await working;
    } finally {
      underWay.delete(working);
    }
  };
}
