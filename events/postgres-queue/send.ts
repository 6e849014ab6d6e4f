import type { Outgoing, Sender } from '../queue.ts';
import { refuseUnsendable } from '../sendable.ts';
import { type Columns, columnsOf } from './columns.ts';
import type { TransactionSql } from './connection.ts';
import { firstsOf, mergeWithin } from './merging.ts';
import { tellSleepers } from './telling.ts';

/**
 * Sends when the caller's transaction commits. It must be READ COMMITTED, and better sends once: whoever takes the locks
 * of several groups in two steps may wait for somebody who waits for him, and one of the two is then rolled back.
 * Where the transaction has set its planner as `planned` does, that is two statements less.
 */
export function senderOn(tx: TransactionSql, isPlanned = false): Sender {
  const around = isPlanned ? asItIs : planned;
  return {
    async send(messages) {
      refuseUnsendable(messages);
      if (messages.length === 0) return;
      await Promise.all([
        ...around(tx, () => put(tx, mergeWithin(messages), 'merged')),
        tellSleepers(tx, functionsOf(messages)),
      ]);
    },
  };
}

type Work = () => Promise<void>;

const asItIs = (_: TransactionSql, work: Work) => [work()];

/** For the plans, which the caller's connection keeps; see `connection.ts`. Out it goes before the others. */
const planned = (tx: TransactionSql, work: Work) => [
  plan(tx, { enable_seqscan: 'off', plan_cache_mode: 'force_generic_plan' }).execute(),
  work(),
  plan(tx, { enable_seqscan: 'on', plan_cache_mode: 'auto' }),
];

type Planning = { readonly enable_seqscan: string; readonly plan_cache_mode: string };

/** To plan `place` anew each time takes 1.3 ms, three times as long as to carry it out. */
function plan(tx: TransactionSql, { enable_seqscan, plan_cache_mode }: Planning) {
  return tx`
    select set_config('enable_seqscan', ${enable_seqscan}, true),
      set_config('plan_cache_mode', ${plan_cache_mode}, true)`;
}

/** On a connection of ours, whose planner is set. Whoever puts something there tells of it. */
export async function put(
  tx: TransactionSql,
  messages: readonly Outgoing[],
  how: 'merged' | 'apart',
): Promise<void> {
  const columns = columnsOf(messages);
  // Of truth values the library makes no array.
  const mayMerge = firstsOf(messages).map((isFirst) => (isFirst && how === 'merged' ? 1 : 0));
  await Promise.all([lock(tx, columns, messages.length), place(tx, columns, mayMerge)]);
}

export function functionsOf(messages: readonly Outgoing[]): readonly string[] {
  return messages.map((message) => message.function);
}

/** In one order by everybody; until the commit, nobody claims from these groups or sends to them. */
function lock(tx: TransactionSql, { functions, keys }: Columns, count: number) {
  return tx`
    with locked as (
      insert into queue_groups (function, key, head, tail, visible_at)
      select function, key, 1, 0,
        statement_timestamp() - (${count} - min(turn)) * interval '1 microsecond'
      from unnest(${functions}::text[], ${keys}::text[]) with ordinality as sent (function, key, turn)
      group by function, key
      order by function collate "C", key collate "C"
      on conflict (function, key) do update set tail = queue_groups.tail
      returning id, function, key
    )
    select set_config('gatehouse.locked', array_agg(id order by function, key)::text, true)
    from locked`;
}

/**
 * A statement of its own, which sees what was committed before the locks were there. What somebody holds absorbs
 * nothing; what he lost does, and if the clock went back, he has lost it all the same. Of two that could, the later one
 * does: the events of a group's runs never go back. Past another one of its subject nothing is merged. The groups are found by the ids that were locked: by function and
 * key, the planner may take the index of another time.
 */
function place(tx: TransactionSql, columns: Columns, mayMerge: readonly (0 | 1)[]) {
  const { functions, keys, types, bodies, eventIds, mergeKeys, subjects, attempts } = columns;
  return tx`
    with sent as (
      select sent.*, queued.id, queued.head, queued.tail, queued.is_claimed, standing.position
      from (
        select *, dense_rank() over (order by function collate "C", key collate "C") as rank
        from unnest(${functions}::text[], ${keys}::text[], ${types}::text[], ${bodies}::text[],
            ${eventIds}::text[], ${mergeKeys}::text[], ${subjects}::text[], ${attempts}::int[],
            ${mayMerge}::int[])
          with ordinality
          as given (function, key, type, body, event_id, merge_key, subject, attempt, may_merge, turn)
      ) as sent
      cross join lateral (
        select * from queue_groups
        where id = (select current_setting('gatehouse.locked')::bigint[])[sent.rank]
        limit 1
      ) as queued
      left join lateral (
        select position from queue_messages
        where sent.may_merge = 1 and group_id = queued.id
          and queue_messages.merge_key = sent.merge_key
          and (position > queued.head or not queued.is_claimed
            or queued.visible_at <= clock_timestamp())
          and not exists (
            select from queue_messages as later
            where later.group_id = queued.id and later.position > queue_messages.position
              and later.subject = sent.subject
              and later.merge_key is distinct from sent.merge_key)
        order by position desc
        limit 1
      ) as standing on true
    ), merged as (
      update queue_messages
      set event_id = sent.event_id, attempt = least(queue_messages.attempt, sent.attempt)
      from sent
      where group_id = any(array[sent.id])
        and queue_messages.position = any(array[sent.position])
    ), added as (
      insert into queue_messages (group_id, position, type, body, event_id, merge_key, subject,
        attempt, created_at)
      select id, tail + row_number() over (partition by id order by turn), type, body, event_id,
        merge_key, subject, attempt, statement_timestamp()
      from sent where position is null
    )
    update queue_groups
    set tail = queue_groups.tail + change.added,
      is_claimed = queue_groups.is_claimed and not change.is_lost
    from (
      select id, count(*) filter (where position is null) as added,
        coalesce(bool_or(is_claimed and position = head), false) as is_lost
      from sent group by id
    ) as change
    where queue_groups.id = any(array[change.id]) and (change.added > 0 or change.is_lost)`;
}
