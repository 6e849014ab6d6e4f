import { sinceSql } from '#shared/domain/since-sql.ts';
import { maxReceived } from '../queue.ts';
import type { Sql } from './connection.ts';
import type { Receipt } from './receipts.ts';

/** A group that somebody held until now. */
export type Ended = {
  readonly function: string;
  /** It has messages for whoever comes next. */
  readonly goesOn: boolean;
};

export type Settled = Ended &
  Receipt & {
    /** Not: it was given back. */
    readonly isSettled: boolean;
  };

/** The groups that these receipts are good for, locked in the order that senders take; as a row, which no index has. */
function held(sql: Sql, receipts: readonly Receipt[]) {
  return sql`
    select queue_groups.id, queue_groups.claims, since, function, key, head, tail, received
    from unnest(${receipts.map(({ id }) => id)}::bigint[],
      ${receipts.map(({ claims }) => claims)}::int[],
      ${receipts.map((receipt) => receipt.since)}::bigint[]) as receipt (id, claims, since)
    join queue_groups on queue_groups.id = any(array[receipt.id])
    where queue_groups.claims = receipt.claims and is_claimed and visible_at > clock_timestamp()
    order by row(function, key)
    for update of queue_groups`;
}

/** Takes the first message off each, and the groups that end with it. */
function advanced(sql: Sql) {
  return sql`
    gone as (
      delete from queue_messages using held
      where group_id = any(array[held.id]) and position = any(array[held.head])
      returning queue_messages.*
    ), ended as (
      delete from queue_groups using held
      where queue_groups.id = any(array[held.id]) and held.head = held.tail
    ), going_on as (
      update queue_groups
      set head = queue_groups.head + 1, is_claimed = false, received = 0,
        visible_at = clock_timestamp()
      from held
      where queue_groups.id = any(array[held.id]) and held.head < held.tail
    )`;
}

/**
 * Whoever settles relies on what he has written since he received it: a wake-up, the messages of a set. A server that
 * came back meanwhile without its last commits may have forgotten that, and the message is all that is left of it.
 */
export function settleHeld(sql: Sql, receipts: readonly Receipt[]) {
  return sql<Settled[]>`
    with asked as (${held(sql, receipts)}), here as (
      select ${sql.unsafe(sinceSql)} as since
    ), held as (
      select asked.* from asked join here using (since)
    ), ${advanced(sql)}, given_back as (
      update queue_groups
      set is_claimed = false, received = queue_groups.received - 1, visible_at = clock_timestamp()
      from asked, here
      where queue_groups.id = any(array[asked.id]) and asked.since <> here.since
    )
    select id, claims, asked.since, function, asked.since = here.since as "isSettled",
      asked.since <> here.since or head < tail as "goesOn"
    from asked, here`;
}

export function buryHeld(sql: Sql, receipt: Receipt, why: string) {
  return sql<Ended[]>`
    with held as (${held(sql, [receipt])}), ${advanced(sql)}, buried as (
      insert into queue_dead (function, key, type, body, event_id, subject, attempt, merge_key,
        received, why, buried_at)
      select function, key, type, body, event_id, subject, attempt, merge_key,
        least(received, ${maxReceived}), ${why}, clock_timestamp()
      from gone join held on held.id = gone.group_id
    )
    select function, head < tail as "goesOn" from held`;
}

/** Given back on purpose: that receipt counts for nothing. */
export function releaseHeld(sql: Sql, { id, claims }: Receipt) {
  return sql<Ended[]>`
    update queue_groups
    set is_claimed = false, received = received - 1, visible_at = clock_timestamp()
    where id = ${id} and claims = ${claims} and is_claimed and visible_at > clock_timestamp()
    returning function, true as "goesOn"`;
}

export async function extendHeld(
  sql: Sql,
  { id, claims }: Receipt,
  visibilityMs: number,
): Promise<boolean> {
  const extended = await sql`
    update queue_groups
    set visible_at = clock_timestamp() + ${visibilityMs} * interval '1 millisecond'
    where id = ${id} and claims = ${claims} and is_claimed and visible_at > clock_timestamp()`;
  return extended.count > 0;
}
