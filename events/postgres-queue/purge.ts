import type { Sql, TransactionSql } from './connection.ts';

const groupsAtOnce = 2_000;

/** Group after group in the order of locks, some at once: a purge of a million holds nobody up for long. */
export async function purgeWaiting(sql: Sql, functionName: string): Promise<number> {
  let purged = 0;
  let after: string | undefined = '';
  while (after !== undefined) {
    const page: Page = await sql.begin((tx) => purgePage(tx, { functionName, after: after ?? '' }));
    purged += page.purged;
    after = page.last;
  }
  return purged;
}

type Page = { readonly purged: number; readonly last: string | undefined };

async function purgePage(
  tx: TransactionSql,
  { functionName, after }: { readonly functionName: string; readonly after: string },
): Promise<Page> {
  const groups = await tx<{ id: string; key: string }[]>`
    select id, key from queue_groups
    where function = ${functionName} and key > ${after}
    order by key
    limit ${groupsAtOnce}
    for update`;
  const gone = await dropWaiting(
    tx,
    groups.map(({ id }) => id),
  );
  return { purged: gone.count, last: groups.at(-1)?.key };
}

/** After the locks, so that it sees all that was sent before. */
function dropWaiting(tx: TransactionSql, ids: readonly string[]) {
  return tx`
    with locked as (
      select queue_groups.*, is_claimed and visible_at > clock_timestamp() as is_held
      from unnest(${ids}::bigint[]) as chosen (id)
      join queue_groups on queue_groups.id = any(array[chosen.id])
    ), kept as (
      update queue_groups set tail = queue_groups.head
      from locked where queue_groups.id = any(array[locked.id]) and is_held
    ), ended as (
      delete from queue_groups using locked
      where queue_groups.id = any(array[locked.id]) and not is_held
    )
    delete from queue_messages using locked
    where group_id = any(array[locked.id]) and (position > locked.head or not is_held)`;
}
