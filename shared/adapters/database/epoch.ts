import type { Sql } from 'postgres';

type Identity = { readonly uid: string; readonly epoch: number };

export async function identityOf(sql: Sql, cluster: string): Promise<Identity | undefined> {
  const [found] = await sql<Identity[]>`select uid, epoch from clusters where cluster = ${cluster}`;
  return found && { uid: found.uid, epoch: found.epoch };
}

/** Of two that notice the same restore, one begins the epoch. After 0 comes the first one. */
export async function beginEpoch(
  sql: Sql,
  { cluster, uid, after }: { cluster: string; uid: string; after: number },
): Promise<number | undefined> {
  const [begun] =
    after === 0
      ? await sql<{ epoch: number }[]>`
          insert into clusters (cluster, uid, epoch) values (${cluster}, ${uid}, 1)
          on conflict do nothing returning epoch`
      : await sql<{ epoch: number }[]>`
          update clusters set uid = ${uid}, epoch = epoch + 1
          where cluster = ${cluster} and epoch = ${after} returning epoch`;
  return begun?.epoch;
}
