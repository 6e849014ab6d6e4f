import type { Bodies, Outbox, Row, Taking, Unsent } from '../sqs-queue/outbox.ts';
import type { Sql } from './connection.ts';
import { lockSpace, locks, outboxOn } from './outbox.ts';

/** Behind those of the groups. */
const relayLock = locks;
/**
 * SQS keeps a message for 14 days, a dead letter to which it made it itself for as many, and the one that is written
 * instead once more. Nobody asks for its body afterwards.
 */
const keptDays = 3 * 14;
/** So many rows are looked through at once for the first ones of their groups. */
const lookedThrough = 1_000;
/** Behind a deep group, others are looked for; behind as many deep ones, they wait. */
const looks = 3;

/** What `outboxOn` wrote, for the relay. It needs two connections: one of them has the lock. */
export function openOutbox(sql: Sql): Outbox {
  return {
    add: (messages) => sql.begin((tx) => outboxOn(tx).send(messages)).then(() => undefined),
    alone: (work) => alone(sql, work),
    async unsent(name) {
      const [row] = await sql<{ count: number; oldest: number }[]>`
        select count(*)::int as count,
          coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as oldest
        from outbox where function = ${name} and sent_at is null`;
      return { count: row?.count ?? 0, oldestSeconds: Math.max(0, row?.oldest ?? 0) };
    },
    async purge(name) {
      const purged = await sql`delete from outbox where function = ${name} and sent_at is null`;
      return purged.count;
    },
    bodies: bodiesOn(sql),
  };
}

/**
 * The lock ends with its connection, so that a relay which dies leaves nothing behind. It is a transaction's, which
 * does nothing else: when a connection that was reserved dies, postgres.js never answers on it again.
 */
async function alone<T>(sql: Sql, work: (unsent: Unsent) => Promise<T>): Promise<T | undefined> {
  const lock = { isHeld: true };
  let result: T | undefined;
  try {
    await sql.begin(async (tx) => {
      const [row] = await tx`select pg_try_advisory_xact_lock(${lockSpace}, ${relayLock}) as got`;
      if (row?.['got'] !== true) return;
      await sql`delete from outbox where sent_at < now() - ${keptDays} * interval '1 day'`;
      result = await work(unsentOn(sql, lock));
    });
    return result;
  } finally {
    lock.isHeld = false;
  }
}

type Columns = {
  readonly id: string;
  readonly function: string;
  readonly key: string;
  readonly type: string;
  readonly body: string;
  readonly event_id: string;
  readonly subject: string | null;
  readonly attempt: number;
  readonly sent_at_ms: number;
};

/** Whoever lost the lock takes nothing more; what it has sent by then, the next one sends under the same ids. */
function unsentOn(sql: Sql, lock: { readonly isHeld: boolean }): Unsent {
  return {
    async take({ max, except, exceptFunctions = [] }) {
      const found: Row[] = [];
      for (let look = 0; look < looks && found.length < max; look++) {
        if (!lock.isHeld) throw new Error('another relay has its turn');
        const passed = [...except, ...found];
        const left = { max: max - found.length, except: passed, exceptFunctions };
        const rows = await firstOfGroups(sql, left);
        if (rows.length === 0) break;
        found.push(...rows);
      }
      return found;
    },
    async accepted({ gone, kept }) {
      await sql`delete from outbox where ${isOneOf(sql, gone)}`;
      if (kept.length === 0) return;
      await sql`update outbox set sent_at = clock_timestamp() where ${isOneOf(sql, kept)}`;
    },
  };
}

async function firstOfGroups(
  sql: Sql,
  { max, except, exceptFunctions = [] }: Taking,
): Promise<readonly Row[]> {
  const rows = await sql<Columns[]>`
    select * from (
      select distinct on (function, key)
        ${idText(sql)} as id, function, key, type, body, event_id, subject, attempt,
        (extract(epoch from created_at) * 1e3)::float8 as sent_at_ms
      from (
        select * from outbox
        where sent_at is null and function <> all(${[...exceptFunctions]}::text[]) and not exists (
          select from unnest(${except.map((each) => each.function)}::text[],
            ${except.map(({ group }) => group)}::text[]) as held (function, key)
          where held.function = outbox.function and held.key = outbox.key)
        order by outbox.id
        limit ${lookedThrough}
      ) as oldest
      order by function, key, oldest.id
    ) as first
    order by id
    limit ${max}`;
  return rows.map(rowFrom);
}

/** Whoever received a message may be here before the relay has noted that SQS has it. */
function bodiesOn(sql: Sql): Bodies {
  return {
    async find(id) {
      const [row] = await sql<{ body: string }[]>`
        select body from outbox where ${isOneOf(sql, [id])}`;
      return row?.body;
    },
    async drop(ids) {
      await sql`delete from outbox where ${isOneOf(sql, ids)}`;
    },
  };
}

/**
 * Another database counts from one as well, and one that forgot its last commits counts the same numbers again: the time
 * tells them apart.
 */
function idText(sql: Sql) {
  return sql`lpad(id::text, 19, '0') || '.' || floor(extract(epoch from created_at) * 1e6)`;
}

function isOneOf(sql: Sql, ids: readonly string[]) {
  return sql`id = any(${ids.map(numberIn)}::bigint[]) and ${idText(sql)} = any(${[...ids]})`;
}

/** For the index. No row has the number 0. */
function numberIn(id: string): string {
  return /^(\d{19})\.\d+$/.exec(id)?.[1] ?? '0';
}

function rowFrom({ key, event_id, subject, sent_at_ms, ...row }: Columns): Row {
  return {
    ...row,
    group: key,
    eventId: event_id,
    subject: subject ?? undefined,
    sentAtMs: sent_at_ms,
  };
}
