import { type Delivery, maxReceived, type Receiving } from '../queue.ts';
import type { Sql } from './connection.ts';
import { receiptText } from './receipts.ts';
import type { Share } from './shares.ts';

type Group = {
  readonly id: string;
  readonly claims: number;
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
};

const message = (sql: Sql) => sql`
  type, body, event_id as "eventId", attempt,
  greatest(extract(epoch from clock_timestamp() - created_at) * 1000, 0)::float8 as "waitedMs"`;

/**
 * Goes on to the next function only as long as there is room, and passes over what others have locked. A row that was
 * changed since the statement began is claimed as it is now, while its messages are seen as they were then: it stands
 * at another place by now, and what was read of it is not current. Nobody changes a message once it is claimed.
 */
export function claimGroups(sql: Sql, { shares, max, visibilityMs }: Claiming) {
  return sql<Claimed[]>`
    with picked as (
      select free.*
      from unnest(${shares.map((share) => share.function)}::text[],
        ${shares.map((share) => share.quota)}::int[]) as share (function, quota)
      cross join lateral (
        select id, ctid as place from queue_groups
        where function = share.function and visible_at <= now()
        order by visible_at
        limit share.quota
        for update skip locked
      ) as free
      limit ${max}
    ), claimed as (
      update queue_groups
      set is_claimed = true, claims = claims + 1, received = received + 1,
        visible_at = clock_timestamp() + ${visibilityMs} * interval '1 millisecond'
      from picked
      where queue_groups.id = any(array[picked.id])
      returning queue_groups.id, claims, function, key as "group", head, received, place
    )
    select claimed.id, claims, function, "group", head, received, first.*,
      coalesce(place = (select ctid from queue_groups as before where before.id = claimed.id)
        and first.type is not null, false) as "isCurrent"
    from claimed
    left join lateral (
      select ${message(sql)} from queue_messages where group_id = claimed.id and position = head
    ) as first on true`;
}

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
