import { isRowId } from '#events/postgres-queue/receipts.ts';
import type { Queue } from '#events/queue.ts';
import { unnameable } from '#events/sqs-queue/addresses.ts';
import { databaseError, isDatabaseError } from '#shared/adapters/database/failure.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import { requireSchema } from '#shared/adapters/database/require-schema.ts';
import type { Environment } from '#shared/runtime/config.ts';
import type { Registry } from '#shared/runtime/registry.ts';
import type { Role } from '#shared/runtime/serving/role.ts';
import {
  type OpenQueueing,
  openQueueing,
  type QueueChoice,
} from '#shared/runtime/worker/queueing.ts';
import { databaseInUse } from '../database.ts';
import { trouble, type World } from '../output.ts';
import { databaseLookedInto } from '../state.ts';
import type { Opened, UseQueue } from './use.ts';

export function queueChoice({ queue, sqsPrefix }: Environment): QueueChoice {
  if (queue === 'unknown') {
    throw trouble('there is no such queue', {
      where: 'QUEUE names neither postgres nor sqs',
      mend: 'set it to one of them, or leave it out for postgres',
    });
  }
  return queue === 'sqs' ? { kind: 'sqs', prefix: sqsPrefix } : { kind: 'postgres' };
}

/** Before anything is sent to a queue that cannot be there, or is somebody else's. Reviews are answered whatever becomes of queues. */
export function refuseUnnameable(choice: QueueChoice, { definitions }: Registry, role: Role): void {
  if (choice.kind !== 'sqs' || role === 'admission') return;
  const woken = definitions.filter(({ shape }) => shape === 'reconcile');
  const why = unnameable(
    choice.prefix,
    woken.map(({ name }) => name),
  );
  if (why === undefined) return;
  throw trouble(why, {
    where: `QUEUE is sqs, and GATEHOUSE_SQS_PREFIX ${JSON.stringify(choice.prefix)}`,
    mend: 'give the function another name, or the queues a shorter prefix',
  });
}

export type Whose = {
  readonly functions: (state: string | undefined) => Promise<readonly string[]>;
  /** Of a fleet that shares the database. */
  readonly cluster: (state: string | undefined) => Promise<string>;
};

/** The queue that the environment or a state folder names, for the length of a verb. */
export function queueOn(
  { environment, terminal }: World,
  { functions, cluster }: Whose,
): (state: string | undefined) => UseQueue {
  const say = (text: string) => terminal.complain(`${text}\n`);
  // A verb that finds nothing asks once more, of all functions: where it looks is told once.
  let looked: ReturnType<typeof databaseLookedInto> | undefined;
  return (state) => async (work) => {
    const choice = queueChoice(environment);
    const names = choice.kind === 'sqs' ? await functions(state) : [];
    const named = { functions: names, cluster: await cluster(state) };
    looked ??= databaseLookedInto(environment, state, say);
    const server = await databaseInUse(await looked, say);
    try {
      return await withQueue({ choice, url: server.url, ...named }, work);
    } finally {
      await server.stop();
    }
  };
}

type Opening = Pick<OpenQueueing, 'choice' | 'url' | 'functions' | 'cluster'>;

async function withQueue<T>(opening: Opening, work: (opened: Opened) => Promise<T>): Promise<T> {
  const { sql, where, close } = openDatabase(opening.url, { name: 'gatehouse queue' });
  try {
    // Whose outage it is, a queue that stands on both would not tell.
    await requireSchema(sql).catch((cause: unknown) => {
      throw databaseError(cause, where);
    });
    const queueing = await openQueueing({ ...opening, sql, onTrouble: () => undefined });
    try {
      const { queue, schedule } = queueing;
      return await work({ queue: heeding(queue, opening.choice), schedule, of: ownerIn(opening) });
    } finally {
      await queueing.close();
    }
  } catch (cause: unknown) {
    if (cause instanceof Error && cause.name === 'Trouble') throw cause;
    throw opening.choice.kind === 'sqs' && !isOfDatabase(cause)
      ? sqsError(cause)
      : databaseError(cause, where);
  } finally {
    await close();
  }
}

function ownerIn({ choice, cluster }: Opening): Opened['of'] {
  return choice.kind === 'sqs' ? { prefix: choice.prefix } : { cluster };
}

function heeding(queue: Queue, { kind }: QueueChoice): Queue {
  return {
    ...queue,
    async listDead(listing) {
      const { after } = listing;
      // On SQS any text may be one.
      if (kind === 'postgres' && after !== undefined && !isRowId(after)) throw noId(after);
      return queue.listDead(listing);
    },
  };
}

function noId(text: string): Error {
  return trouble(`no message was ever buried as ${JSON.stringify(text)}`, {
    mend: 'give the id of the last message of the page before',
  });
}

function isOfDatabase(cause: unknown): boolean {
  return cause instanceof Error && (cause.name === 'PostgresError' || isDatabaseError(cause));
}

/** What the SDK says has a cause, or comes from it as it is; all else says by itself what is wrong. */
function sqsError(cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause;
  if (cause.cause === undefined && !('$metadata' in cause)) return cause;
  return trouble(cause.message, {
    cause: cause.cause,
    mend: 'see whether region, credentials and endpoint are those of the queues (AWS_REGION and what else the SDK of AWS reads), and GATEHOUSE_SQS_PREFIX what their names begin with',
  });
}
