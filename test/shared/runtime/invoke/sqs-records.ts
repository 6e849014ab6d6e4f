import { objectChanged } from '#events/kinds.ts';
import { messageFor, setMessage } from '#events/messages.ts';
import { envelopeFor, written } from '#events/sqs-queue/envelope.ts';
import { configMaps } from '#shared/domain/kind.ts';
import type { SqsRecord } from '#shared/runtime/invoke/sqs-record.ts';
import { eventOf } from '#test/support/invoking.ts';
import { mapChanged } from '#test/support/running.ts';

export const giveUp = { kind: 'give-up', why: 'never' } as const;
export const retry = { kind: 'retry', why: 'away' } as const;

export function record(
  id: string,
  group?: string,
  body = eventOf(id, mapChanged(), objectChanged.name),
): SqsRecord {
  return {
    messageId: id,
    body,
    attributes: group === undefined ? {} : { MessageGroupId: group },
  };
}

export function counted(id: string, received: number, group = id): SqsRecord {
  const attributes = { MessageGroupId: group, ApproximateReceiveCount: `${received}` };
  return { ...record(id), attributes };
}

/** As we put them on the queue: with the body, or without where it was too long, or of a set. */
export function ours(what: 'inline' | 'kept' | 'set' = 'inline'): string {
  const from = { function: 'follow-maps', cluster: 'default', eventId: 'uid-1/7/MODIFIED' };
  const message =
    what === 'set'
      ? setMessage(from, configMaps, { namespace: 'team-a', after: '' })
      : messageFor('follow-maps', mapChanged(), from.eventId);
  const enveloped = envelopeFor(message, { id: 'row-1', sentAtMs: 0 });
  return written(what === 'kept' ? { ...enveloped, body: { kind: 'kept' } } : enveloped).text;
}

/** As the event source mapping is told of them. */
export function failed(...ids: readonly string[]) {
  return ids.map((itemIdentifier) => ({ itemIdentifier }));
}

export async function away(): Promise<never> {
  throw new Error('SQS is away');
}
