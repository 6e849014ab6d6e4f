import { type Enveloped, read } from '#events/sqs-queue/envelope.ts';
import { jsonIn } from '#shared/domain/json.ts';
import type { Message } from '../wake.ts';
import { messageFrom } from './cloud-event.ts';
import type { OpenUpkeep } from './upkeep.ts';

/** What Lambda hands over of a message, as far as it is read here. */
export type SqsRecord = {
  readonly messageId: string;
  readonly body: string;
  readonly receiptHandle?: string;
  /** Of the queue. */
  readonly eventSourceARN?: string;
  readonly attributes?: {
    readonly MessageGroupId?: string;
    readonly ApproximateReceiveCount?: string;
  };
};

/** What a record turns out to be. */
export type Opened =
  | {
      readonly kind: 'message';
      readonly message: Message;
      /** With its body, wherever that lay. `undefined`: somebody else sent it, and nothing could send it again. */
      readonly enveloped: Enveloped | undefined;
      /** Under which its body lies in the database, where SQS could not take it. */
      readonly keptId: string | undefined;
    }
  | { readonly kind: 'undecodable'; readonly why: string };

/** Throws where the body lies in a database that does not answer. */
export async function openRecord(
  { body }: SqsRecord,
  openUpkeep: OpenUpkeep | undefined,
): Promise<Opened> {
  const enveloped = read(body);
  if (enveloped?.body.kind === 'kept') return openKept(enveloped, openUpkeep);

  const opened = messageFrom(body);
  return opened.ok
    ? { kind: 'message', message: opened.message, enveloped, keptId: undefined }
    : { kind: 'undecodable', why: opened.why };
}

async function openKept(
  { id, message, ...rest }: Enveloped,
  openUpkeep: OpenUpkeep | undefined,
): Promise<Opened> {
  if (openUpkeep === undefined) {
    throw new Error('its body lies in the database, and DATABASE_URL names none');
  }
  const text = await (await openUpkeep()).bodyOf(id);
  if (text === undefined) return { kind: 'undecodable', why: 'its body is gone' };

  const data = jsonIn(text);
  if (data === undefined) return { kind: 'undecodable', why: 'the data is not JSON' };
  return {
    kind: 'message',
    message: { id: message.eventId, type: message.type, data, attempt: message.attempt },
    enveloped: { ...rest, id, message, body: { kind: 'inline', text } },
    keptId: id,
  };
}
