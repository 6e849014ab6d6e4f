import type { Sql } from './connection.ts';

/**
 * Since when this server has forgotten nothing that it had confirmed, in microseconds: whatever ends without a shutdown
 * begins its statistics anew, and so does a replica, which has its own. A shutdown keeps them.
 */
export function since(sql: Sql) {
  return sql`
    coalesce(extract(epoch from pg_stat_get_bgwriter_stat_reset_time()) * 1000000, 0)::bigint`;
}
