import type { Sql } from 'postgres';
import { type Cursor, nowhere, type Term } from '#shared/domain/mirrored.ts';
import { cursorFrom, type StoredCursor } from './cursor.ts';
import { kindOfScope } from './scope-kind.ts';

type Held = Term & { readonly cluster: string };

/**
 * By the clock of the moment, not of the transaction's start: the statement may have waited for a writer. Going on
 * within one's own lease keeps the number; after it somebody else may have written in between.
 */
export async function claimOn(
  sql: Sql,
  claim: Omit<Held, 'number'> & { readonly leaseMs: number },
): Promise<{ readonly term: Term; readonly cursor: Cursor } | undefined> {
  const { cluster, scope, holder, leaseMs } = claim;
  const { group, resource } = kindOfScope(scope);
  const [taken] = await sql<({ readonly term: number } & StoredCursor)[]>`
    insert into watches as w (cluster, scope, api_group, resource, holder, term, lease_until,
      epoch, generation, position)
    values (${cluster}, ${scope}, ${group}, ${resource}, ${holder}, 1,
      clock_timestamp() + ${leaseMs} * interval '1 ms',
      ${nowhere.epoch}, ${nowhere.generation}, 'nowhere')
    on conflict (cluster, scope) do update set
      term = case when w.holder = excluded.holder and w.lease_until > clock_timestamp()
        then w.term else w.term + 1 end,
      holder = excluded.holder, is_retired = false,
      lease_until = clock_timestamp() + ${leaseMs} * interval '1 ms'
    where w.holder is null or w.holder = excluded.holder or w.lease_until <= clock_timestamp()
    returning term::int, epoch, generation, position, resource_version`;
  return taken && { term: { scope, holder, number: taken.term }, cursor: cursorFrom(taken) };
}

/** A lease that ran out can still be renewed while nobody has taken it: nobody wrote. */
export async function renewOn(
  sql: Sql,
  { cluster, scope, holder, number, leaseMs }: Held & { readonly leaseMs: number },
): Promise<boolean> {
  const renewed = await sql`
    update watches set lease_until = clock_timestamp() + ${leaseMs} * interval '1 ms'
    where cluster = ${cluster} and scope = ${scope} and holder = ${holder} and term = ${number}`;
  return renewed.count === 1;
}

export async function releaseOn(sql: Sql, { cluster, scope, holder, number }: Held): Promise<void> {
  await sql`
    update watches set holder = null, lease_until = clock_timestamp()
    where cluster = ${cluster} and scope = ${scope} and holder = ${holder} and term = ${number}`;
}
