import type { PendingQuery, Row as Record, Sql, TransactionSql } from 'postgres';

type Fragment = PendingQuery<Record[]>;

/**
 * Of a materialized `page`, the row that fills the bytes and ends it. The sum goes no further than that: no body behind it
 * is read. By what a body is stored as nothing could be said, which may be a hundredth of it.
 */
export function cutAt(sql: Sql | TransactionSql, maxBytes: number): Fragment {
  return sql`cut as (
    select uid from (
      select uid, sum(octet_length(body::text)) over (order by uid rows unbounded preceding) as bytes
      from page) summed
    where bytes >= ${maxBytes} order by uid limit 1)`;
}

export function isBeforeCut(sql: Sql | TransactionSql): Fragment {
  return sql`page.uid <= coalesce((select uid from cut), page.uid)`;
}
