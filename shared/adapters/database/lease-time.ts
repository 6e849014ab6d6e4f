import type { ISql, PendingQuery, Row } from 'postgres';
import { longestLeaseMs } from '#shared/domain/forwarder.ts';

/**
 * A lease that is later than any can be was given before the clock was set back, or by a server whose clock was ahead. It
 * is over: whoever had it renews it within seconds if he lives, and else it would keep everybody out for the whole step. A
 * step of less than the longest is waited for.
 */
export function isRunning(sql: ISql, until: PendingQuery<Row[]>): PendingQuery<Row[]> {
  return sql`(${until} > clock_timestamp()
    and ${until} <= clock_timestamp() + ${longestLeaseMs} * interval '1 ms')`;
}
