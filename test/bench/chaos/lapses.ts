import type { Sql } from 'postgres';
import type { Lapse } from './overlaps.ts';

/**
 * Written down by the database itself, in the transaction that does it: of a group that is taken out of somebody's hands
 * with its message unsettled, because his time was over or because he gave it back. Of a receipt that is still good, nothing
 * is written: whoever is handed its message has no excuse.
 */
export async function noteLapses(sql: Sql): Promise<void> {
  await sql.unsafe(`
    create table chaos_lapses (function text not null, uid text, event_id text not null);
    create function note_lapse() returns trigger language plpgsql as $$ begin
      insert into chaos_lapses select substring(new.function from '[^/]*$'), subject, event_id
        from queue_messages where group_id = new.id and position = new.head;
      return null;
    end $$;
    create trigger note_lapse after update on queue_groups for each row
      when (old.is_claimed and old.head = new.head and (not new.is_claimed
        or new.claims <> old.claims and old.visible_at <= now()))
      execute function note_lapse()`);
}

export function lapsesIn(sql: Sql): Promise<readonly Lapse[]> {
  return sql<Lapse[]>`
    select function, uid, event_id as "eventId" from chaos_lapses where uid is not null`;
}
