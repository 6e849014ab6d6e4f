import { type BoundedReads, boundedReads } from './bounded.ts';
import type { IsStale, KindName } from './followed.ts';

type Of = {
  readonly kind: KindName;
  /** Of one object: the scopes each of which has it. */
  readonly enough?: readonly string[] | undefined;
};

/** `undefined`: nobody follows the kind now, or the database does not say. */
export type FollowedReads = <T>(of: Of, read: () => Promise<T>) => Promise<T | undefined>;

/** A run has more time than a review: thousands of them at once are no outage, and the cluster is asked in one. */
const readMs = 2_000;

/** Reads of the mirror that are as good as reads of the cluster: their rows have all that was committed when they were asked for. */
export function followedReads(
  isStale: IsStale,
  reads: BoundedReads = boundedReads({ readMs }),
): FollowedReads {
  return ({ kind, enough }, read) =>
    reads(async () => ((await isStale(kind, enough)) ? undefined : read()));
}
