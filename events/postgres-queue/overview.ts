import type { Depth, Queue, Waiting } from '../queue.ts';
import type { Sql } from './connection.ts';
import { isOwn } from './own.ts';

export type Overview = Pick<Queue, 'depth' | 'peek'>;

/**
 * Up to so many groups of a function are counted; of more, the rest is what the planner believes. It is asked for each
 * scrape of the metrics: counting a million takes a second.
 */
const countedGroups = 10_000;
/** The oldest message is looked for among so many groups that have waited longest, and so many that somebody holds. */
const agedGroups = 1_000;

/** Of a fleet, the functions of one cluster are counted, whose names begin so. */
export function overviewOn(sql: Sql, prefix: string): Overview {
  return {
    async depth(functions) {
      const names = functions ?? (await functionsIn(sql, prefix));
      return Promise.all(names.map((name) => depthOf(sql, name)));
    },
    peek: (name, max) => peek(sql, name, max),
  };
}

async function functionsIn(sql: Sql, prefix: string): Promise<readonly string[]> {
  const found = await sql<{ function: string }[]>`
    select function from (
      ${namesIn(sql, 'queue_groups', prefix)} union ${namesIn(sql, 'queue_dead', prefix)}
    ) as named
    where ${isOwn(sql, prefix)}
    order by function`;
  return found.map((each) => each.function);
}

/** From one name to the next by the index, however many rows each of them has. */
function namesIn(sql: Sql, table: 'queue_groups' | 'queue_dead', prefix: string) {
  const from = sql(table);
  return sql`(
    with recursive named (function) as (
      (select function from ${from} where function > ${prefix} order by function limit 1)
      union all
      select (select function from ${from} as later where later.function > named.function
        order by function limit 1)
      from named where starts_with(named.function, ${prefix})
    )
    select function from named where starts_with(function, ${prefix})
  )`;
}

type Counted = {
  readonly groups: number;
  readonly messages: number;
  readonly inFlight: number;
  readonly dead: number;
  readonly oldestSeconds: number;
};

async function depthOf(sql: Sql, name: string): Promise<Depth> {
  const [counted] = await count(sql, name);
  if (counted === undefined) throw new Error('a count has no answer');
  const { groups, messages, inFlight, dead, oldestSeconds } = counted;
  const all = groups < countedGroups ? messages : await estimate(sql, name, messages / groups);
  return { function: name, waiting: Math.max(all - inFlight, 0), inFlight, dead, oldestSeconds };
}

/**
 * What somebody holds lies in the future, at the end of the index: by `now()`, as no index is read by a time that moves.
 * What comes behind it waits as well, for as long as it is held.
 */
function count(sql: Sql, name: string) {
  return sql<Counted[]>`
    with held as (
      select id, head from queue_groups
      where function = ${name} and visible_at > now() and is_claimed
    ), first as (
      (
        select id, head as place from queue_groups
        where function = ${name} and visible_at <= now()
        order by visible_at
        limit ${agedGroups}
      ) union all (
        select id, head + 1 from held limit ${agedGroups}
      )
    )
    select groups, messages, "inFlight", dead, "oldestSeconds"
    from (
      select count(*)::int as groups, coalesce(sum(tail - head + 1), 0)::float8 as messages
      from (
        select head, tail from queue_groups where function = ${name} limit ${countedGroups}
      ) as counted
    ) as stored, (
      select count(*)::int as "inFlight" from held
    ) as in_hand, (
      select count(*)::int as dead from queue_dead where function = ${name}
    ) as buried, (
      select coalesce(greatest(max(extract(epoch from clock_timestamp() - created_at)), 0), 0)::float8
        as "oldestSeconds"
      from first
      join queue_messages on group_id = any(array[first.id]) and position = any(array[first.place])
    ) as aged`;
}

async function estimate(sql: Sql, name: string, messagesAGroup: number): Promise<number> {
  const [plan] = await sql<{ 'QUERY PLAN': readonly [{ Plan: { 'Plan Rows': number } }] }[]>`
    explain (format json) select from queue_groups where function = ${name}`;
  const groups = plan?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
  return Math.round(Math.max(groups, countedGroups) * messagesAGroup);
}

function peek(sql: Sql, name: string, max: number): Promise<readonly Waiting[]> {
  return sql<Waiting[]>`
    select first.id || '-' || position as id, function, key as "group", type,
      event_id as "eventId",
      case when position = head then received else 0 end as received,
      greatest(extract(epoch from clock_timestamp() - created_at) * 1000, 0)::float8 as "waitedMs",
      position = head and is_claimed and visible_at > clock_timestamp() as "inFlight"
    from (
      select * from queue_groups where function = ${name} order by visible_at limit ${max}
    ) as first
    cross join lateral (
      select * from queue_messages where group_id = first.id order by position limit ${max}
    ) as message
    order by created_at, first.id, position
    limit ${max}`;
}
