/**
 * For Postgres: since when this server has forgotten nothing that it had confirmed, in microseconds. Whatever ends without
 * a shutdown begins its statistics anew, and so does a replica, which has its own; a shutdown keeps them.
 */
export const sinceSql =
  'coalesce(extract(epoch from pg_stat_get_bgwriter_stat_reset_time()) * 1000000, 0)::bigint';
