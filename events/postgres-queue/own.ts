import type { PendingQuery, Row } from 'postgres';
import type { Statements } from './connection.ts';

/** A condition on `function`: of a fleet, whether it is of the cluster whose functions begin so. Without a fleet all are. */
export function isOwn(sql: Statements, prefix: string): PendingQuery<Row[]> {
  if (prefix === '') return sql`true`;
  // A cluster's name may begin with another one's.
  return sql`(starts_with(function, ${prefix})
    and strpos(substr(function, char_length(${prefix}) + 1), '/') = 0)`;
}
