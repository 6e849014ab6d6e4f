import type { ISql, PendingQuery, Row } from 'postgres';

/** None is given for so long: the longest are of 15 s. A step of less than this is waited for. */
export const longestLeaseMs = 300_000;

/**
 * A lease that is later than any can be was given before the clock was set back, or by a server whose clock was ahead. It
 * is over: whoever had it renews it within seconds if he lives, and else it would keep everybody out for the whole step.
 */
export function isRunning(sql: ISql, until: PendingQuery<Row[]>): PendingQuery<Row[]> {
  return sql`(${until} > clock_timestamp()
    and ${until} <= clock_timestamp() + ${longestLeaseMs} * interval '1 ms')`;
}
