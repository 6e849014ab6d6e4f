import type { Outgoing, Sender } from '../queue.ts';
import { refuseUnsendable } from '../sendable.ts';
import { columnsOf } from './columns.ts';
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
        around(tx, () => put(tx, mergeWithin(messages), 'merged')),
        tellSleepers(tx, functionsOf(messages)),
      ]);
    },
  };
}

type Work = () => Promise<void>;

const asItIs = (_: TransactionSql, work: Work) => work();

/** For the plans, which the caller's connection keeps; see `connection.ts`. Out it goes before the others. */
const planned = async (tx: TransactionSql, work: Work) => {
  const planning = plan(tx, { enable_seqscan: 'off', plan_cache_mode: 'force_generic_plan' });
  await Promise.all([planning.execute(), work()]);
  await plan(tx, { enable_seqscan: 'on', plan_cache_mode: 'auto' });
};

type Planning = { readonly enable_seqscan: string; readonly plan_cache_mode: string };

/** To plan such a statement anew each time takes 1.3 ms, three times as long as to carry it out. */
function plan(tx: TransactionSql, { enable_seqscan, plan_cache_mode }: Planning) {
  return tx`
    select set_config('enable_seqscan', ${enable_seqscan}, true),
      set_config('plan_cache_mode', ${plan_cache_mode}, true)`;
}

/**
 * On a connection of ours, whose planner is set. Whoever puts something there tells of it. Nearly always one statement:
 * most groups are new.
 */
export async function put(
  tx: TransactionSql,
  messages: readonly Outgoing[],
  how: 'merged' | 'apart',
): Promise<void> {
  const standing = await beginGroups(tx, messages);
  if (standing.length > 0) await joinGroups(tx, standing, how);
}

export function functionsOf(messages: readonly Outgoing[]): readonly string[] {
  return messages.map((message) => message.function);
}

/** A message whose group was there already. */
type Standing = { readonly message: Outgoing; readonly groupId: string };

/**
 * Locks the groups, in one order by everybody: until the commit, nobody claims from them or sends to them. Those that
 * are new begin with their messages; the others answer. A row has -1 claims until the next send or claim, which tells
 * the one kind from the other.
 */
async function beginGroups(
  tx: TransactionSql,
  messages: readonly Outgoing[],
): Promise<readonly Standing[]> {
  const { functions, keys, types, bodies, eventIds, mergeKeys, subjects, attempts } =
    columnsOf(messages);
  const standing = await tx<{ turn: number; groupId: string }[]>`
    with sent as (
      select *, dense_rank() over (order by function collate "C", key collate "C") as rank
      from unnest(${functions}::text[], ${keys}::text[], ${types}::text[], ${bodies}::text[],
          ${eventIds}::text[], ${mergeKeys}::text[], ${subjects}::text[], ${attempts}::int[])
        with ordinality
        as given (function, key, type, body, event_id, merge_key, subject, attempt, turn)
    ), locked as (
      insert into queue_groups (function, key, head, tail, claims, visible_at)
      select function, key, 1, count(*), -1,
        statement_timestamp() - (${messages.length} - min(turn)) * interval '1 microsecond'
      from sent group by rank, function, key
      order by rank
      on conflict (function, key) do update
        set tail = queue_groups.tail, claims = greatest(queue_groups.claims, 0)
      returning id, function, key, claims = -1 as is_new
    ), ranked as (
      select array_agg(id order by function, key) as ids,
        array_agg(is_new order by function, key) as news
      from locked
    ), placed as (
      select sent.*, (select ids from ranked)[rank] as id, (select news from ranked)[rank] as is_new
      from sent
    ), added as (
      insert into queue_messages (group_id, position, type, body, event_id, merge_key, subject,
        attempt, created_at)
      select id, row_number() over (partition by id order by turn), type, body, event_id,
        merge_key, subject, attempt, statement_timestamp()
      from placed where is_new
    )
    select turn::int, id as "groupId" from placed where not is_new order by turn`;
  return standing.flatMap(({ turn, groupId }) => {
    const message = messages[turn - 1];
    return message === undefined ? [] : [{ message, groupId }];
  });
}

/**
 * A statement of its own, which sees what was committed before the locks were there. What somebody holds absorbs
 * nothing; what he lost does, and if the clock went back, he has lost it all the same. Of two that could, the later one
 * does: the events of a group's runs never go back. Past another one of its subject nothing is merged. The groups are
 * found by the ids that were locked: by function and key, the planner may take the index of another time.
 */
function joinGroups(tx: TransactionSql, standing: readonly Standing[], how: 'merged' | 'apart') {
  const messages = standing.map(({ message }) => message);
  const { types, bodies, eventIds, mergeKeys, subjects, attempts } = columnsOf(messages);
  const groupIds = standing.map(({ groupId }) => groupId);
  // Of truth values the library makes no array.
  const mayMerge = firstsOf(messages).map((isFirst) => (isFirst && how === 'merged' ? 1 : 0));
  return tx`
    with sent as (
      select given.*, queued.id, queued.head, queued.tail, queued.is_claimed, standing.position
      from unnest(${groupIds}::bigint[], ${types}::text[], ${bodies}::text[], ${eventIds}::text[],
          ${mergeKeys}::text[], ${subjects}::text[], ${attempts}::int[], ${mayMerge}::int[])
        with ordinality
        as given (group_id, type, body, event_id, merge_key, subject, attempt, may_merge, turn)
      cross join lateral (
        select * from queue_groups where queue_groups.id = given.group_id limit 1
      ) as queued
      left join lateral (
        select position from queue_messages
        where given.may_merge = 1 and queue_messages.group_id = queued.id
          and queue_messages.merge_key = given.merge_key
          and (position > queued.head or not queued.is_claimed
            or queued.visible_at <= clock_timestamp())
          and not exists (
            select from queue_messages as later
            where later.group_id = queued.id and later.position > queue_messages.position
              and later.subject = given.subject
              and later.merge_key is distinct from given.merge_key)
        order by position desc
        limit 1
      ) as standing on true
    ), merged as (
      update queue_messages
      set event_id = sent.event_id, attempt = least(queue_messages.attempt, sent.attempt)
      from sent
      where queue_messages.group_id = any(array[sent.id])
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
