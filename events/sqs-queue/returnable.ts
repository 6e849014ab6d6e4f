import type { Outgoing } from '../queue.ts';
import { unsendable } from '../sendable.ts';

/** Why a dead letter cannot come back by the outbox, where it would wait for a queue for ever, seen by nobody. */
export function whyNotBy(functions: readonly string[]): (message: Outgoing) => string | undefined {
  return (message) =>
    unsendable(message) ??
    (functions.includes(message.function) ? undefined : 'its function has no queue on SQS');
}
