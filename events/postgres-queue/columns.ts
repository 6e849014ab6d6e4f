import { arrayText } from '#shared/domain/array-text.ts';
import type { Outgoing } from '../queue.ts';

/** Of what shares a statement, unless one alone is larger: its columns travel as one text each, and a text has an end. */
export const mostBytes = 16 * 1024 * 1024;

/** As arrays, one a column: a statement's text stays the same for any number of messages. */
export function columnsOf(messages: readonly Outgoing[]) {
  const column = (value: (message: Outgoing) => string | null) => arrayText(messages.map(value));
  return {
    functions: column((message) => message.function),
    keys: column(({ group }) => group),
    types: column(({ type }) => type),
    bodies: column(({ body }) => body),
    eventIds: column(({ eventId }) => eventId),
    mergeKeys: column(({ mergeKey }) => mergeKey ?? null),
    subjects: column(({ subject }) => subject ?? null),
    attempts: column(({ attempt }) => String(attempt ?? 0)),
  };
}

export type Columns = ReturnType<typeof columnsOf>;

/** As a row has it. */
export type StoredMessage = Omit<Outgoing, 'mergeKey' | 'subject'> & {
  readonly mergeKey: string | null;
  readonly subject: string | null;
};

/** What has no merge key merges with nothing, and null is none. */
export function messageOf({ mergeKey, subject, ...message }: StoredMessage): Outgoing {
  return { ...message, mergeKey: mergeKey ?? undefined, subject: subject ?? undefined };
}
