import type { PendingQuery, Row, Sql, TransactionSql } from 'postgres';
import { arrayText } from '#shared/domain/array-text.ts';
import { type Cursor, nowhere, type Term } from '#shared/domain/mirrored.ts';
import { cursorFrom, type StoredCursor } from './cursor.ts';
import { isRunning } from './lease-time.ts';
import { kindOfScope } from './scope-kind.ts';
import { isOverlapping } from './scope-place.ts';
import type { Realm } from './terms.ts';

type Held = Term & { readonly cluster: string };

type Claim = Omit<Held, 'number'> & {
  readonly leaseMs: number;
  /** Takes overlapping scopes from whoever has them. */
  readonly evicts: boolean;
  /** As for a writer: who stops in the middle holds up the whole kind. */
  readonly stallMs: number;
};
type Claimed = { readonly term: Term; readonly cursor: Cursor };

/** Nobody else's advisory locks. */
const lockSpace = 0x6c656173;

/** Until the end of the transaction. One claim of a kind at a time: two that overlap may be new to each other. */
export function claimsLock(
  tx: TransactionSql,
  { cluster, group, resource }: Realm,
): PendingQuery<Row[]> {
  return tx`pg_advisory_xact_lock(${lockSpace}, hashtext(${`${cluster} ${resource}.${group}`}))`;
}

/** Who stops in the middle holds up the whole kind for so long, and not for ever. */
export function stallLimit(tx: TransactionSql, stallMs: number): PendingQuery<Row[]> {
  return tx`set_config('idle_in_transaction_session_timeout', ${String(stallMs)}, true)`;
}

export const usualStallMs = 10_000;

/**
 * Replicas of two configurations may follow scopes that overlap. Whoever gets one of these ends the others, and what they
 * mirrored in its place is its own at once: so a row has one writer, also while a roll-out lasts.
 */
export function claimOn(sql: Sql, claim: Claim): Promise<Claimed | undefined> {
  return sql.begin(async (tx) => {
    const rivals = await lockRivals(tx, claim);
    const isRefused = !claim.evicts && rivals.some(({ is_led }) => is_led);
    const claimed = isRefused ? undefined : await take(tx, claim, rivals.length > 0);
    if (claimed !== undefined && rivals.length > 0) await endAll(tx, claim, rivals);
    return claimed;
  }) as Promise<Claimed | undefined>;
}

type Rival = { readonly scope: string; readonly is_led: boolean };

/** Waits for whoever writes in one of them. What this process had itself is over, whether or not that was said. */
async function lockRivals(
  tx: TransactionSql,
  { cluster, scope, holder, stallMs }: Claim,
): Promise<readonly Rival[]> {
  const { group, resource } = kindOfScope(scope);
  const [, others] = await Promise.all([
    tx`
      select ${stallLimit(tx, stallMs)}, ${claimsLock(tx, { cluster, group, resource })}`,
    tx<{ scope: string }[]>`
      select scope from watches
      where cluster = ${cluster} and api_group = ${group} and resource = ${resource}
        and scope <> ${scope} and not is_retired`,
  ]);
  const overlapping = others.map((each) => each.scope).filter((each) => isOverlapping(each, scope));
  if (overlapping.length === 0) return [];
  return tx<Rival[]>`
    select scope,
      coalesce(holder <> ${holder}, false) and ${isRunning(tx, tx`lease_until`)} as is_led
    from watches
    where cluster = ${cluster} and scope = any(${arrayText(overlapping)}::text[]) and not is_retired
    order by scope for update`;
}

/**
 * By the clock of the moment, not of the transaction's start: the statement may have waited for a writer. Going on
 * within one's own lease keeps the number; after it somebody else may have written in between. Rows of others that
 * become ours need a list, and so does a scope that nobody followed meanwhile: until then what is not there is unknown.
 */
async function take(
  tx: TransactionSql,
  { cluster, scope, holder, leaseMs }: Claim,
  inherits: boolean,
): Promise<Claimed | undefined> {
  const { group, resource } = kindOfScope(scope);
  const isHeld = isRunning(tx, tx`w.lease_until`);
  const [taken] = await tx<({ readonly term: number } & StoredCursor)[]>`
    insert into watches as w (cluster, scope, api_group, resource, holder, term, lease_until,
      epoch, generation, position)
    values (${cluster}, ${scope}, ${group}, ${resource}, ${holder}, 1,
      clock_timestamp() + ${leaseMs} * interval '1 ms',
      ${nowhere.epoch}, ${nowhere.generation}, ${inherits ? 'listing' : 'nowhere'})
    on conflict (cluster, scope) do update set
      term = case when w.holder = excluded.holder and ${isHeld}
        then w.term else w.term + 1 end,
      holder = excluded.holder, is_retired = false,
      position = case when ${inherits} or w.is_retired then 'listing' else w.position end,
      resource_version = case when ${inherits} or w.is_retired then null else w.resource_version end,
      lease_until = clock_timestamp() + ${leaseMs} * interval '1 ms'
    where w.holder is null or w.holder = excluded.holder or not ${isHeld}
    returning term::int, epoch, generation, position, resource_version`;
  return taken && { term: { scope, holder, number: taken.term }, cursor: cursorFrom(taken) };
}

/** As the sweep retires scopes; who had one of them is fenced from here on. */
async function endAll(
  tx: TransactionSql,
  { cluster }: Claim,
  rivals: readonly Rival[],
): Promise<void> {
  await tx`
    with retired as (
      update watches set is_retired = true, holder = null, lease_until = clock_timestamp(),
        position = 'nowhere', resource_version = null
      where cluster = ${cluster} and scope = any(${arrayText(rivals.map(({ scope }) => scope))}::text[])
      returning cluster, scope)
    delete from backfills b using retired r where b.cluster = r.cluster and b.scope = r.scope`;
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
