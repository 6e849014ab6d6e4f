import type { Sql } from 'postgres';
import type { Term } from '#shared/domain/mirrored.ts';

type Identity = { readonly uid: string; readonly epoch: number };

export async function identityOf(sql: Sql, cluster: string): Promise<Identity | undefined> {
  const [found] = await sql<Identity[]>`select uid, epoch from clusters where cluster = ${cluster}`;
  return found && { uid: found.uid, epoch: found.epoch };
}

type Next = {
  readonly cluster: string;
  readonly term: Term;
  readonly uid: string;
  readonly after: number;
};

/**
 * Of two that notice the same restore, one begins the epoch. After 0 comes the first one. Nobody whose term is over: the
 * row is locked, so that whoever takes the scope over waits for this or comes before it.
 */
export async function beginEpoch(sql: Sql, next: Next): Promise<number | 'fenced' | undefined> {
  const { cluster, term, uid, after } = next;
  const begins =
    after === 0
      ? sql`
          insert into clusters (cluster, uid, epoch) select ${cluster}, ${uid}, 1 from ours
          on conflict do nothing returning epoch`
      : sql`
          update clusters set uid = ${uid}, epoch = epoch + 1 from ours
          where clusters.cluster = ${cluster} and epoch = ${after} returning epoch`;
  const [answer] = await sql<{ readonly epoch: number | null; readonly is_ours: boolean }[]>`
    with ours as (
      select 1 from watches
      where cluster = ${cluster} and scope = ${term.scope} and holder = ${term.holder}
        and term = ${term.number}
      for share),
    begun as (${begins})
    select (select epoch from begun) as epoch, exists (select 1 from ours) as is_ours`;
  if (answer?.is_ours !== true) return 'fenced';
  return answer.epoch ?? undefined;
}
