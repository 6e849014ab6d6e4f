import type { Outgoing } from '../queue.ts';

/** As arrays, one a column: a statement's text stays the same for any number of messages. */
export function columnsOf(messages: readonly Outgoing[]) {
  return {
    functions: messages.map((message) => message.function),
    keys: messages.map((message) => message.group),
    types: messages.map((message) => message.type),
    bodies: messages.map((message) => message.body),
    eventIds: messages.map((message) => message.eventId),
    mergeKeys: messages.map((message) => message.mergeKey ?? null),
    subjects: messages.map((message) => message.subject ?? null),
    attempts: messages.map((message) => message.attempt ?? 0),
  };
}

/** As a row has it. */
export type StoredMessage = Omit<Outgoing, 'mergeKey' | 'subject'> & {
  readonly mergeKey: string | null;
  readonly subject: string | null;
};

/** What has no merge key merges with nothing, and null is none. */
export function messageOf({ mergeKey, subject, ...message }: StoredMessage): Outgoing {
  return { ...message, mergeKey: mergeKey ?? undefined, subject: subject ?? undefined };
}
