import { isList, jsonIn } from '#shared/domain/json.ts';
import type { Statements, TransactionSql } from './connection.ts';

export const channel = 'gatehouse_queue';

/** Postgres takes 8,000 bytes at most; then everybody looks. */
const maxBytes = 7_000;

export function noticeText(functions: Iterable<string>): string {
  const text = JSON.stringify([...new Set(functions)].sort());
  return Buffer.byteLength(text) <= maxBytes ? text : '';
}

/** `undefined`: it may concern anybody. */
export function functionsIn(notice: string): readonly string[] | undefined {
  const names = jsonIn(notice);
  return isList(names) ? names.map(String) : undefined;
}

/**
 * NOTIFY makes commits wait for each other, so it is only sent while somebody may be asleep. A statement of its
 * own, after what it tells of: whoever marked himself asleep before it is seen, and whoever does so later waits for
 * the transactions that were under way then.
 */
export function tellSleepers(sql: Statements, functions: Iterable<string>) {
  return sql`
    select pg_notify(${channel}, ${noticeText(functions)})
    where exists (select from queue_sleepers where until_at > now())`;
}

/** In the transaction, after what it would tell of, for the same reason; who is told after the commit keeps no other one waiting. */
export async function isAnybodyAsleep(tx: TransactionSql): Promise<boolean> {
  const sleepers = await tx`select from queue_sleepers where until_at > now() limit 1`;
  return sleepers.count > 0;
}

export function tell(sql: Statements, functions: Iterable<string>) {
  return sql`select pg_notify(${channel}, ${noticeText(functions)})`;
}
