import postgres, { type Sql, type TransactionSql } from 'postgres';
import type { Opening } from '#events/postgres-queue/open-queue.ts';
import { senderOn } from '#events/postgres-queue/send.ts';
import type { Outgoing, Queue, Sender } from '#events/queue.ts';
import { type Fresh, freshDatabase } from '../../support/postgres.ts';
import { postgresQueue } from '../../support/postgres-queue.ts';
import { until } from '../../support/until.ts';

export type PostgresStage = {
  readonly url: string;
  readonly sql: Sql;
  readonly queue: Queue;
  /** Another process, as far as the database knows. */
  another(more?: Omit<Opening, 'sql'>): Promise<Queue>;
  begin(): Promise<OpenTransaction>;
  /** For these functions only; whoever waits looks again. */
  advance(functions: readonly string[], ms: number): Promise<void>;
  close(): Promise<void>;
};

export type OpenTransaction = {
  send(messages: readonly Outgoing[]): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
};

export async function openStage(fresh: Fresh = freshDatabase): Promise<PostgresStage> {
  const { url } = await fresh();
  const sql = postgres(url, { max: 20, onnotice: () => undefined });
  const queues: Queue[] = [];
  const another: PostgresStage['another'] = async (more) => {
    const queue = await postgresQueue(url, 4, more);
    queues.push(queue);
    return queue;
  };
  return {
    ...{ url, sql, another },
    queue: await another(),
    begin: () => openTransaction(sql),
    advance: (functions, ms) => shiftTime(sql, functions, ms),
    async close() {
      await Promise.all(queues.map((queue) => queue.close()));
      await sql.end({ timeout: 1 });
    },
  };
}

/** One that somebody ends from outside. */
export async function openTransaction(
  sql: Sql,
  sending: (tx: TransactionSql) => Sender = senderOn,
): Promise<OpenTransaction> {
  const begun = Promise.withResolvers<Sender>();
  const end = Promise.withResolvers<void>();
  const over = sql
    .begin(async (tx) => {
      begun.resolve(sending(tx));
      await end.promise;
    })
    .catch((cause: unknown) => {
      if (cause !== rolledBack) throw cause;
    });
  const sender = await begun.promise;
  return {
    send: (messages) => sender.send(messages),
    async commit() {
      end.resolve();
      await over;
    },
    async rollback() {
      end.reject(rolledBack);
      await over;
    },
  };
}

const rolledBack = new Error('rolled back');

/** So many sessions of this database wait for a lock: other tests have theirs on the same server. */
export function untilWaiting(sql: Sql, count: number): Promise<number> {
  return until(async () => {
    const [row] = await sql`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return row?.['waiting'] === count;
  });
}

/** Instead of the clock, what was written down goes back. */
async function shiftTime(sql: Sql, functions: readonly string[], ms: number): Promise<void> {
  await sql.begin(async (tx) => {
    const groups = await tx<{ id: string }[]>`
      update queue_groups set visible_at = visible_at - ${ms} * interval '1 millisecond'
      where function = any(${functions}) returning id`;
    await tx`
      update queue_messages set created_at = created_at - ${ms} * interval '1 millisecond'
      where group_id = any(${groups.map(({ id }) => id)}::bigint[])`;
    await tx`select pg_notify('gatehouse_queue', '')`;
  });
}
