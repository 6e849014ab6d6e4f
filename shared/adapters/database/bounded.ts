import { within } from '../within.ts';

/** `undefined`: the database did not answer in time, or did not shortly before. */
export type BoundedReads = <T>(read: () => Promise<T>) => Promise<T | undefined>;

type Bounds = { readonly readMs?: number; readonly restMs?: number; readonly now?: () => number };

/**
 * Reads that somebody can do without: the cluster is asked then, in what is left of a request's few seconds. An outage
 * of the database is none of theirs; after one failure nobody else waits for the next for a while.
 */
export function boundedReads(bounds: Bounds = {}): BoundedReads {
  const { readMs = 500, restMs = 1_000, now = () => performance.now() } = bounds;
  let restsUntil = Number.NEGATIVE_INFINITY;
  return async (read) => {
    if (now() < restsUntil) return undefined;
    try {
      return await within(readMs, read());
    } catch {
      restsUntil = now() + restMs;
      return undefined;
    }
  };
}
