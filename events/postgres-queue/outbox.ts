import type { Sender } from '../queue.ts';
import { refuseUnsendable } from '../sendable.ts';
import { columnsOf } from './columns.ts';
import type { TransactionSql } from './connection.ts';

/** As many locks of a transaction at most; groups that share one only wait for each other more often. */
export const locks = 1_024;
/** Nobody else's advisory locks. */
export const lockSpace = 0x6f757462;

/**
 * For a queue outside of Postgres: a row in the caller's transaction, which the relay hands on. Until the commit
 * nobody else writes for the same group, so that its rows are numbered in the order of commits.
 */
export function outboxOn(tx: TransactionSql): Sender {
  return {
    async send(messages) {
      refuseUnsendable(messages);
      if (messages.length === 0) return;
      const { functions, keys, types, bodies, eventIds, subjects, attempts } = columnsOf(messages);
      await Promise.all([
        tx`
          select pg_advisory_xact_lock(${lockSpace}, bucket) from (
            select distinct abs(hashtext(function || '/' || key) % ${locks}) as bucket
            from unnest(${functions}::text[], ${keys}::text[]) as sent (function, key)
            order by bucket
          ) as taken`,
        tx`
          insert into outbox (function, key, type, body, event_id, subject, attempt, created_at)
          select function, key, type, body, event_id, subject, attempt, clock_timestamp()
          from unnest(${functions}::text[], ${keys}::text[], ${types}::text[], ${bodies}::text[],
            ${eventIds}::text[], ${subjects}::text[], ${attempts}::int[]) with ordinality
            as sent (function, key, type, body, event_id, subject, attempt, turn)
          order by turn`,
      ]);
    },
  };
}
