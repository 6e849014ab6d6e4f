import type { Sql } from './connection.ts';

/** Autovacuum looks once a minute; until then each claim walks past the dead: 375 pages after 40,000 messages, 1 ms. */
const messagesAtOnce = 20_000;

/** Counts what was sent and what has left, and cleans up after so many; one at a time. */
export function tidierOn(sql: Sql, onTrouble: (cause: unknown) => void) {
  let moved = 0;
  let tidying: Promise<unknown> | undefined;

  return {
    moved(count: number): void {
      moved += count;
      if (moved < messagesAtOnce || tidying !== undefined) return;
      moved = 0;
      tidying = tidy(sql)
        .catch(onTrouble)
        .finally(() => {
          tidying = undefined;
        });
    },
    done: async (): Promise<void> => void (await tidying),
  };
}

/**
 * Who has no right to it gets a warning, and leaves it to autovacuum; where one is under way, this one is none. No
 * `analyze`: no plan here depends on it, and it reads and sorts 30,000 bodies.
 */
function tidy(sql: Sql) {
  return sql.unsafe('vacuum (skip_locked, truncate false) queue_groups, queue_messages');
}
