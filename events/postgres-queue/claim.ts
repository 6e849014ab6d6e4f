import { sinceSql } from '#shared/domain/since-sql.ts';
import { type Delivery, maxReceived, type Receiving, suspectAfter } from '../queue.ts';
import type { Sql } from './connection.ts';
import { type Receipt, receiptText } from './receipts.ts';
import type { Share } from './shares.ts';

type Group = Receipt & {
  readonly function: string;
  readonly group: string;
  readonly head: string;
  readonly received: number;
};

type Message = Pick<Delivery, 'type' | 'body' | 'eventId' | 'attempt' | 'waitedMs'>;

/** With its first message, where that is true. */
export type Claimed = Group & Message & { readonly isCurrent: boolean };

export type Claiming = Pick<Receiving, 'max' | 'visibilityMs'> & {
  readonly shares: readonly Share[];
  /** From where on each is looked at. */
  readonly floors: readonly number[];
  /** Whoever claims has nothing in hand. */
  readonly isAlone: boolean;
};

export type Found = {
  readonly claimed: readonly Claimed[];
  /** Claimed alone; or nothing is claimed, since whoever asked has company for it. `null` where there is none. */
  readonly suspectId: string | null;
};

const message = (sql: Sql) => sql`
  type, body, event_id as "eventId", attempt,
  greatest(extract(epoch from clock_timestamp() - created_at) * 1000, 0)::float8 as "waitedMs"`;

/**
 * Goes on to the next function only as long as there is room, and passes over what others have locked. A row that was
 * changed since the statement began is claimed as it is now, while its messages are seen as they were then: it stands
 * at another place by now, and what was read of it is not current. Nobody changes a message once it is claimed.
 * A receipt's number is drawn, not counted: a server that comes back without its last commits would count the same ones
 * again, and somebody's receipt from before would settle what he never had.
 * A suspect is claimed alone or not at all, and counts as received only then: what others do to a process is not its fault.
 */
export async function claimGroups(
  sql: Sql,
  { shares, floors, max, visibilityMs, isAlone }: Claiming,
): Promise<Found> {
  const rows = await sql<(Seen & (Claimed | { readonly id: null }))[]>`
    with picked as (
      select free.*
      from unnest(${shares.map((share) => share.function)}::text[],
        ${shares.map((share) => share.quota)}::int[],
        ${floors}::float8[]) as share (function, quota, floor)
      cross join lateral (
        select id, ctid as place,
          received >= ${suspectAfter} and received < ${maxReceived} as is_suspect
        from queue_groups
        where function = share.function and visible_at >= to_timestamp(share.floor)
          and visible_at <= now()
        order by visible_at
        limit share.quota
        for update skip locked
      ) as free
      limit ${max}
    ), suspect as (
      select id from picked where is_suspect limit 1
    ), chosen as (
      select id, place from picked
      where not exists (select from suspect)
        or ${isAlone} and id = (select id from suspect)
    ), claimed as (
      update queue_groups
      set is_claimed = true, claims = floor(random() * 999999999)::int + 1, received = received + 1,
        visible_at = clock_timestamp() + ${visibilityMs} * interval '1 millisecond'
      from chosen
      where queue_groups.id = any(array[chosen.id])
      returning queue_groups.id, claims, function, key as "group", head, received, place
    )
    select "suspectId", claimed.id, claims, ${sql.unsafe(sinceSql)} as since, function, "group", head,
      received, first.*,
      coalesce(place = (select ctid from queue_groups as before where before.id = claimed.id)
        and first.type is not null, false) as "isCurrent"
    from (select (select id from suspect) as "suspectId") as seen
    left join claimed on true
    left join lateral (
      select ${message(sql)} from queue_messages where group_id = claimed.id and position = head
    ) as first on true`;
  return { claimed: rows.filter((row) => row.id !== null), suspectId: rows[0]?.suspectId ?? null };
}

type Seen = Pick<Found, 'suspectId'>;

/** Oldest first. */
export async function deliver(sql: Sql, claimed: readonly Claimed[]): Promise<readonly Delivery[]> {
  const current = claimed.filter((each) => each.isCurrent);
  const others = claimed.filter((each) => !each.isCurrent);
  const read = others.length === 0 ? [] : await readAgain(sql, others);
  return [...current, ...read]
    .map(deliveryOf)
    .toSorted((one, other) => other.waitedMs - one.waitedMs);
}

/** By a statement of its own, which sees what there is now. */
async function readAgain(
  sql: Sql,
  groups: readonly Group[],
): Promise<readonly (Group & Message)[]> {
  const messages = await sql<(Message & Pick<Group, 'id'>)[]>`
    select queue_messages.group_id as id, ${message(sql)}
    from unnest(${groups.map(({ id }) => id)}::bigint[],
      ${groups.map(({ head }) => head)}::bigint[]) as first (group_id, position)
    join queue_messages on queue_messages.group_id = any(array[first.group_id])
      and queue_messages.position = any(array[first.position])`;
  const byId = new Map(messages.map((each) => [each.id, each]));
  return groups.flatMap((group) => {
    const found = byId.get(group.id);
    return found === undefined ? [] : [{ ...group, ...found }];
  });
}

function deliveryOf(claimed: Group & Message): Delivery {
  const { id, function: name, group, head, received } = claimed;
  const { type, body, eventId, attempt, waitedMs } = claimed;
  return {
    ...{ id: `${id}-${head}`, receipt: receiptText(claimed), function: name, group },
    ...{ type, body, eventId, attempt, received, waitedMs },
  };
}

export function isCrashed({ received }: Claimed): boolean {
  return received > maxReceived;
}
