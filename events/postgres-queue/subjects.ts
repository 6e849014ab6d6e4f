import type { PendingQuery, Row, Sql } from 'postgres';

/** A condition on `o.uid`: whether any message, waiting, put aside or still to come, speaks of that object. */
export function isNamedIn(sql: Sql): PendingQuery<Row[]> {
  return sql`(
    exists (select from queue_messages m where m.subject = o.uid)
    or exists (select from queue_dead d where d.subject = o.uid)
    or exists (select from outbox b where b.subject = o.uid)
    or exists (select from wakeups w where w.subject = o.uid))`;
}
