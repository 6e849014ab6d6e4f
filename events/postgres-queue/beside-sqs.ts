import type { AlsoBuried } from '../also-buried.ts';
import type { Outgoing } from '../queue.ts';
import { unsendable } from '../sendable.ts';
import type { Sql } from './connection.ts';
import { deadLettersOn } from './dead.ts';
import { outboxOn } from './outbox.ts';

/** With the queue on SQS, what could not be handed to it lies here. By the outbox it comes back. */
export function buriedBesideSqs(sql: Sql, functions: readonly string[]): AlsoBuried {
  // In the outbox it would wait for a queue for ever, where nobody sees it.
  const whyNot = (message: Outgoing): string | undefined =>
    unsendable(message) ??
    (functions.includes(message.function) ? undefined : 'its function has no queue on SQS');
  return {
    ...deadLettersOn(sql, { whyNot, raise: (tx, messages) => outboxOn(tx).send(messages) }),
    async count() {
      const counted = await sql<{ function: string; dead: number }[]>`
        select function, count(*)::int as dead from queue_dead group by function`;
      return new Map(counted.map(({ function: name, dead }) => [name, dead]));
    },
  };
}
