import type { Dead, Outgoing, Queue } from '../queue.ts';
import type { Sql } from './connection.ts';
import { isOwn } from './own.ts';
import { isRowId } from './receipts.ts';
import { functionsOf, put } from './send.ts';
import { tellSleepers } from './telling.ts';

export type DeadLetters = Pick<Queue, 'listDead' | 'redrive' | 'purgeDead'>;

/** Ids count rows of the whole database: another cluster's are nobody here. */
export function deadLettersOn(sql: Sql, prefix: string): DeadLetters {
  const own = isOwn(sql, prefix);
  return {
    async listDead({ function: name, after = '0', max }) {
      if (after !== '0' && !isRowId(after)) return [];
      return sql<Dead[]>`
        select id::text, function, key as "group", type, body, event_id as "eventId", received, why,
          buried_at as "buriedAt"
        from queue_dead
        where id > ${after} and ${name === undefined ? own : sql`function = ${name}`}
        order by queue_dead.id
        limit ${max}`;
    },
    redrive: (ids) => redrive(sql, { ids: ids.filter(isRowId), own }),
    async purgeDead(ids) {
      const purged = await sql`
        delete from queue_dead where id = any(${ids.filter(isRowId)}::bigint[]) and ${own}`;
      return purged.count;
    },
  };
}

type Wanted = { readonly ids: readonly string[]; readonly own: ReturnType<typeof isOwn> };

/** In the order in which they were buried; none of them is merged into what waits: it was counted as one. */
async function redrive(sql: Sql, { ids, own }: Wanted): Promise<number> {
  return sql.begin(async (tx) => {
    const risen = await tx<(Outgoing & { readonly id: string })[]>`
      with chosen as (
        select id from queue_dead where id = any(${ids}::bigint[]) and ${own} order by id for update
      )
      delete from queue_dead using chosen where queue_dead.id = any(array[chosen.id])
      returning queue_dead.id::text, function, key as "group", type, body, event_id as "eventId",
        merge_key as "mergeKey", subject, attempt`;
    const ordered = risen.toSorted((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));
    if (ordered.length === 0) return 0;
    await put(tx, ordered, 'apart');
    await tellSleepers(tx, functionsOf(ordered));
    return risen.length;
  });
}
