import type { Sql, TransactionSql } from 'postgres';
import { fleetOf, prefixOf } from '#events/fleet.ts';
import type { Queue, Sender } from '#events/queue.ts';
import type { Schedule } from '#events/schedule.ts';
import type { Relayed } from '#events/sqs-queue/relay.ts';
import type { SqsSettings } from '#events/sqs-queue/sqs.ts';

/** Where messages are kept. */
export type QueueChoice =
  | { readonly kind: 'postgres' }
  /** The schedule stays in Postgres, and so does the outbox; a relay hands on what is in it. */
  | ({ readonly kind: 'sqs'; readonly prefix: string } & SqsChoice);

type SqsChoice = {
  /** Region, endpoint and keys; what is left out is what the SDK finds. */
  readonly client?: SqsSettings;
  /** How long one call may wait, and closing for it. */
  readonly pollSeconds?: number;
};

/** The queue, and what goes with it. */
export type Queueing = {
  readonly queue: Queue;
  readonly schedule: Schedule;
  /** Hands on what is in the outbox, where there is one. */
  readonly relay: ((onStep?: () => void) => Promise<Relayed>) | undefined;
  close(): Promise<void>;
};

export type OpenQueueing = {
  readonly choice: QueueChoice;
  readonly url: string;
  readonly sql: Sql;
  /** Of a fleet that shares the database. */
  readonly cluster: string;
  /** Names of the functions that have a queue. */
  readonly functions: readonly string[];
  /** Told of what went wrong beside the calls. */
  readonly onTrouble: (cause: unknown) => void;
};

/** How a message of this cluster is sent when a transaction commits. */
export async function senderFor(choice: QueueChoice, cluster: string): Promise<SenderOn> {
  const senderOn = await plainSenderFor(choice);
  // On SQS a function's queue is this cluster's alone: its name says whose.
  if (choice.kind === 'sqs') return senderOn;
  return (tx, isPlanned) => fleetOf(cluster).sender(senderOn(tx, isPlanned));
}

/** `isPlanned`: its planner is set already as the queue’s is. */
export type SenderOn = (tx: TransactionSql, isPlanned?: boolean) => Sender;

async function plainSenderFor({ kind }: QueueChoice): Promise<SenderOn> {
  if (kind === 'sqs') return (await import('#events/postgres-queue/outbox.ts')).outboxOn;
  return (await import('#events/postgres-queue/send.ts')).senderOn;
}

export async function openQueueing(opening: OpenQueueing): Promise<Queueing> {
  const { choice, sql, cluster } = opening;
  // What is due has its cluster's name already.
  const sender = await plainSenderFor(choice);
  const { scheduleOn } = await import('#events/postgres-queue/schedule.ts');
  if (choice.kind === 'sqs') {
    return { schedule: scheduleOn({ sql, sender }), ...(await openSqs(choice, opening)) };
  }
  const schedule = scheduleOn({ sql, sender, prefix: prefixOf(cluster) });
  // Its listener would go on looking for a server that was not there, although the queue was never opened.
  await sql`select`;
  const queue = await openOnPostgres(opening);
  const fleet = fleetOf(cluster);
  return {
    queue: fleet.queue(queue),
    schedule: fleet.schedule(schedule),
    relay: undefined,
    close: () => queue.close(),
  };
}

async function openOnPostgres({ url, cluster, onTrouble }: OpenQueueing): Promise<Queue> {
  const [{ openPostgresQueue }, { planner }, { openDatabase }] = await Promise.all([
    import('#events/postgres-queue/open-queue.ts'),
    import('#events/postgres-queue/connection.ts'),
    import('#shared/adapters/database/open.ts'),
  ]);
  const opened = openDatabase(url, {
    name: 'gatehouse queue',
    connections: 4,
    parameters: planner,
  });
  return openPostgresQueue({ sql: opened.sql, prefix: prefixOf(cluster), onTrouble });
}

async function openSqs(
  { prefix, client = {}, pollSeconds = 5 }: QueueChoice & { readonly kind: 'sqs' },
  { sql, functions, onTrouble }: OpenQueueing,
): Promise<Omit<Queueing, 'schedule'>> {
  const [
    { openSqsQueue },
    { openSqs: connect },
    { relay },
    { openOutbox },
    { alsoBuried },
    { buriedBesideSqs },
  ] = await Promise.all([
    import('#events/sqs-queue/sqs-queue.ts'),
    import('#events/sqs-queue/sqs.ts'),
    import('#events/sqs-queue/relay.ts'),
    import('#events/postgres-queue/outbox-relay.ts'),
    import('#events/also-buried.ts'),
    import('#events/postgres-queue/beside-sqs.ts'),
  ]);
  const outbox = openOutbox(sql);
  const now = () => performance.now();
  const timing = { now, wallNow: Date.now, after };
  const sqs = connect(client);
  const parts = { sqs, prefix, functions, outbox, pollSeconds, onTrouble };
  const queue = openSqsQueue({ ...parts, ...timing });
  return {
    queue: alsoBuried(queue, { mark: 'postgres-', buried: buriedBesideSqs(sql, functions) }),
    relay: (onStep) => relay({ sqs, outbox, prefix, now, onStep }),
    async close() {
      await queue.close();
      sqs.close();
    },
  };
}

function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms).unref();
  return () => clearTimeout(timer);
}
