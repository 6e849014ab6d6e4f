import type { Outgoing, Sender } from '../queue.ts';
import {
  isPeriodic,
  type Moved,
  type Period,
  type Schedule,
  type Scheduled,
  type ScheduledDepth,
  type Wakeup,
} from '../schedule.ts';
import { refuseUnsendable, unsendable } from '../sendable.ts';
import { columnsOf, messageOf, type StoredMessage } from './columns.ts';
import type { Sql, TransactionSql } from './connection.ts';
import { isOwn } from './own.ts';

export type Scheduling = {
  readonly sql: Sql;
  /** What the functions' names begin with here: others' periods are not ours to end. */
  readonly prefix?: string;
  /** Where what is due goes: the queue, or the outbox of another one. */
  readonly sender: (tx: TransactionSql) => Sender;
};

export function scheduleOn({ sql, sender, prefix = '' }: Scheduling): Schedule {
  return {
    async add(wakeups) {
      refuseUnsendable(wakeups.map(({ message }) => message));
      if (wakeups.length > 0) await add(sql, wakeups);
    },
    async setPeriods(periods) {
      refuseUnsendable(periods.map(({ message }) => message));
      await sql.begin((tx) => setPeriods(tx, periods.filter(isPeriodic), prefix));
      await pullBack(sql, prefix);
    },
    async drop(functionName) {
      const { count } = await sql`
        delete from wakeups where function = ${functionName} and reason <> 'period'`;
      return count;
    },
    async hasten(functionName) {
      const { count } = await sql`
        update wakeups set due_at = now()
        where function = ${functionName} and reason <> 'period' and due_at > now()`;
      return count;
    },
    depth: () => depth(sql, prefix),
    peek: (functionName, max) => peek(sql, functionName, max),
    moveDue: (max) => sql.begin((tx) => moveDue(tx, { max, sender })),
  };
}

/** Of one call, too, the earlier time counts. Rows are taken in one order. */
function add(sql: Sql, wakeups: readonly Wakeup[]) {
  const columns = columnsOf(wakeups.map(({ message }) => message));
  return sql`
    insert into wakeups (function, key, reason, merge_key, due_at, every_seconds, type, body,
      event_id, subject, attempt)
    select distinct on (function, key, reason, coalesce(merge_key, ''))
      function, key, reason, coalesce(merge_key, ''),
      now() + min(after_ms) over same * interval '1 millisecond',
      ceil(min(after_ms) over same / 1000)::int,
      type, body, event_id, subject, max(attempt) over same
    from unnest(${columns.functions}::text[], ${columns.keys}::text[],
      ${wakeups.map(({ reason }) => reason)}::text[], ${columns.mergeKeys}::text[],
      ${wakeups.map(({ afterMs }) => afterMs)}::float8[], ${columns.types}::text[],
      ${columns.bodies}::text[], ${columns.eventIds}::text[], ${columns.subjects}::text[],
      ${columns.attempts}::int[]) with ordinality
      as wakeup (function, key, reason, merge_key, after_ms, type, body, event_id, subject, attempt,
        turn)
    window same as (partition by function, key, reason, coalesce(merge_key, ''))
    order by function, key, reason, coalesce(merge_key, ''), turn desc
    on conflict (function, key, reason, merge_key) do update
    set due_at = least(wakeups.due_at, excluded.due_at),
      every_seconds = least(wakeups.every_seconds, excluded.every_seconds),
      attempt = greatest(wakeups.attempt, excluded.attempt),
      type = excluded.type, body = excluded.body, event_id = excluded.event_id,
      subject = excluded.subject`;
}

/** One that goes on keeps its time, unless its new period is over earlier. */
async function setPeriods(
  tx: TransactionSql,
  periods: readonly Period[],
  prefix: string,
): Promise<void> {
  const columns = columnsOf(periods.map(({ message }) => message));
  await tx`
    delete from wakeups where reason = 'period' and ${isOwn(tx, prefix)} and not exists (
      select from unnest(${columns.functions}::text[], ${columns.keys}::text[],
        ${columns.mergeKeys}::text[]) as named (function, key, merge_key)
      where named.function = wakeups.function and named.key = wakeups.key
        and coalesce(named.merge_key, 'period') = wakeups.merge_key)`;
  await tx`
    insert into wakeups (function, key, reason, merge_key, due_at, every_seconds, type, body,
      event_id, subject, attempt)
    select function, key, 'period', coalesce(merge_key, 'period'), now(), every_seconds, type, body,
      event_id, subject, 0
    from unnest(${columns.functions}::text[], ${columns.keys}::text[],
      ${columns.mergeKeys}::text[], ${periods.map(({ everySeconds }) => everySeconds)}::int[],
      ${columns.types}::text[], ${columns.bodies}::text[], ${columns.eventIds}::text[],
      ${columns.subjects}::text[])
      as period (function, key, merge_key, every_seconds, type, body, event_id, subject)
    order by function, key
    on conflict (function, key, reason, merge_key) do update
    set due_at = least(wakeups.due_at, now() + excluded.every_seconds * interval '1 second'),
      every_seconds = excluded.every_seconds, type = excluded.type, body = excluded.body,
      event_id = excluded.event_id, subject = excluded.subject`;
}

/**
 * Nothing waits from now on for longer than was asked for, unless the server's clock was set back: it would wait until it is
 * that late again. Asked for as rarely as periods are stated.
 */
function pullBack(sql: Sql, prefix: string) {
  return sql`
    with late as (
      select function, key, reason, merge_key from wakeups
      where reason <> 'period' and ${isOwn(sql, prefix)}
        and due_at > now() + every_seconds * interval '1 second' + interval '1 second'
      for update skip locked
    )
    update wakeups set due_at = now() + every_seconds * interval '1 second' from late
    where wakeups.function = late.function and wakeups.key = late.key
      and wakeups.reason = late.reason and wakeups.merge_key = late.merge_key`;
}

function depth(sql: Sql, prefix: string): Promise<readonly ScheduledDepth[]> {
  return sql<ScheduledDepth[]>`
    select function, count(*)::int as scheduled,
      (greatest(extract(epoch from min(due_at) - clock_timestamp()), 0) * 1000)::float8 as "nextMs"
    from wakeups
    where reason <> 'period' and ${isOwn(sql, prefix)}
    group by function
    order by function`;
}

function peek(sql: Sql, functionName: string, max: number): Promise<readonly Scheduled[]> {
  return sql<Scheduled[]>`
    select function, key as "group", type, event_id as "eventId", reason, attempt,
      (greatest(extract(epoch from due_at - clock_timestamp()), 0) * 1000)::float8 as "dueMs"
    from wakeups
    where function = ${functionName} and reason <> 'period'
    order by due_at, key
    limit ${max}`;
}

/**
 * One statement takes what is due, and the queue's own put it there, in one transaction: what a message merges into
 * can only be read by a statement that begins after its group's lock was taken.
 */
async function moveDue(
  tx: TransactionSql,
  { max, sender }: { readonly max: number; readonly sender: Scheduling['sender'] },
): Promise<Moved> {
  // For the plans, which the caller's connection keeps; see `connection.ts`. It goes out before the other.
  const [, due] = await Promise.all([
    tx`select set_config('enable_seqscan', 'off', true)`.execute(),
    takeDue(tx, max),
  ]);
  const taken = due.map(sorted);
  const stuck = taken.filter(({ why }) => why !== undefined);
  if (stuck.length > 0) await bury(tx, stuck);
  await sender(tx).send(taken.flatMap(({ message, why }) => (why === undefined ? [message] : [])));
  const [next] = await tx<{ ms: number | null }[]>`
    select (extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as ms from wakeups`;
  const ms = next?.ms ?? undefined;
  return { count: due.length, nextMs: ms === undefined ? undefined : Math.max(ms, 0) };
}

type Due = StoredMessage & { readonly isWithoutSeconds: boolean };

type Sorted = { readonly message: Outgoing; readonly why: string | undefined };

function sorted({ isWithoutSeconds, ...row }: Due): Sorted {
  const message = messageOf(row);
  return { message, why: isWithoutSeconds ? 'its period has no seconds' : unsendable(message) };
}

/** Passes over what somebody else is moving. A period is due again a period after now: none is made up for. */
function takeDue(tx: TransactionSql, max: number) {
  return tx<Due[]>`
    with due as (
      select * from wakeups where due_at <= now()
      order by due_at limit ${max}
      for update skip locked
    ), rearmed as (
      update wakeups set due_at = now() + due.every_seconds * interval '1 second'
      from due
      where due.reason = 'period' and due.every_seconds > 0
        and wakeups.function = any(array[due.function])
        and wakeups.key = any(array[due.key]) and wakeups.reason = due.reason
        and wakeups.merge_key = due.merge_key
    ), moved as (
      delete from wakeups using due
      where due.reason <> 'period' and wakeups.function = any(array[due.function])
        and wakeups.key = any(array[due.key]) and wakeups.reason = due.reason
        and wakeups.merge_key = due.merge_key
    )
    select function, key as "group", type, body, event_id as "eventId",
      nullif(merge_key, '') as "mergeKey", subject, attempt,
      reason = 'period' and coalesce(every_seconds, 0) < 1 as "isWithoutSeconds"
    from due order by due_at`;
}

/** What somebody wrote by hand and no queue takes: thrown, it would stand before all that is due for ever. */
function bury(tx: TransactionSql, stuck: readonly Sorted[]) {
  const columns = columnsOf(stuck.map(({ message }) => message));
  return tx`
    with stuck as (
      select * from unnest(${columns.functions}::text[], ${columns.keys}::text[],
        ${columns.types}::text[], ${columns.bodies}::text[], ${columns.eventIds}::text[],
        ${columns.mergeKeys}::text[], ${columns.subjects}::text[], ${columns.attempts}::int[],
        ${stuck.map(({ why }) => `it cannot be sent: ${why}`)}::text[])
        as stuck (function, key, type, body, event_id, merge_key, subject, attempt, why)
    ), ended as (
      delete from wakeups using stuck
      where wakeups.reason = 'period' and wakeups.function = any(array[stuck.function])
        and wakeups.key = any(array[stuck.key])
        and wakeups.merge_key = coalesce(stuck.merge_key, '')
    )
    insert into queue_dead (function, key, type, body, event_id, merge_key, subject, attempt,
      received, why, buried_at)
    select function, key, type, body, event_id, merge_key, subject, attempt, 0, why,
      clock_timestamp()
    from stuck`;
}
