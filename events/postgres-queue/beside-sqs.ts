import type { AlsoBuried } from '../also-buried.ts';
import type { Outgoing } from '../queue.ts';
import { whyNotBy } from '../sqs-queue/returnable.ts';
import type { Sql, TransactionSql } from './connection.ts';
import { deadLettersOn } from './dead.ts';
import { outboxOn } from './outbox.ts';

/** With the queue on SQS, what could not be handed to it lies here. By the outbox it comes back. */
export function buriedBesideSqs(sql: Sql, functions: readonly string[]): AlsoBuried {
  const raise = (tx: TransactionSql, messages: readonly Outgoing[]) => outboxOn(tx).send(messages);
  return {
    ...deadLettersOn(sql, { whyNot: whyNotBy(functions), raise }),
    async count() {
      const counted = await sql<{ function: string; dead: number }[]>`
        select function, count(*)::int as dead from queue_dead group by function`;
      return new Map(counted.map(({ function: name, dead }) => [name, dead]));
    },
  };
}
