import type { Sql } from './connection.ts';

/** So rarely in a process: it walks what is in hand, and the dead entries there. */
const pullMs = 5_000;

export function pullerOn(sql: Sql, now: () => number) {
  const nextAtMs = new Map<string, number>();
  return async (functions: readonly string[]): Promise<void> => {
    const at = now();
    const due = functions.filter((name) => at >= (nextAtMs.get(name) ?? at));
    if (due.length === 0) return;
    for (const name of due) nextAtMs.set(name, at + pullMs);
    await pullBack(sql, due);
  };
}

/**
 * What nobody holds is never of later, unless the server's clock was set back: it would wait until it is that late again.
 * Waits for nobody, since it takes locks in no order. By `now()`, as no index is read by a time that moves.
 */
function pullBack(sql: Sql, functions: readonly string[]) {
  return sql`
    with late as (
      select id from queue_groups
      where function = any(${functions}::text[]) and not is_claimed
        and visible_at > now() + interval '1 second'
      for update skip locked
    )
    update queue_groups set visible_at = clock_timestamp()
    from late where queue_groups.id = any(array[late.id])`;
}
