import type { Dead, Outgoing, Queue } from '../queue.ts';
import type { Sql } from './connection.ts';
import { isRowId } from './receipts.ts';
import { functionsOf, put } from './send.ts';
import { tellSleepers } from './telling.ts';

export type DeadLetters = Pick<Queue, 'listDead' | 'redrive' | 'purgeDead'>;

export function deadLettersOn(sql: Sql): DeadLetters {
  return {
    async listDead({ function: name, after = '0', max }) {
      if (after !== '0' && !isRowId(after)) return [];
      return sql<Dead[]>`
        select id::text, function, key as "group", type, body, event_id as "eventId", received, why,
          buried_at as "buriedAt"
        from queue_dead
        where id > ${after} ${name === undefined ? sql`` : sql`and function = ${name}`}
        order by id
        limit ${max}`;
    },
    redrive: (ids) => redrive(sql, ids.filter(isRowId)),
    async purgeDead(ids) {
      const purged = await sql`
        delete from queue_dead where id = any(${ids.filter(isRowId)}::bigint[])`;
      return purged.count;
    },
  };
}

/** In the order in which they were buried; none of them is merged into what waits: it was counted as one. */
async function redrive(sql: Sql, ids: readonly string[]): Promise<number> {
  return sql.begin(async (tx) => {
    const risen = await tx<(Outgoing & { readonly id: string })[]>`
      with chosen as (
        select id from queue_dead where id = any(${ids}::bigint[]) order by id for update
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
