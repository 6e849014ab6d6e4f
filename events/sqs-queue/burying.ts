import { deadQueueName, deduplicationId, groupId } from './addresses.ts';
import { type Enveloped, envelopeFor, written } from './envelope.ts';
import type { Held } from './ledger.ts';
import type { Received, Sqs } from './sqs.ts';

export type BuryingParts = {
  readonly sqs: Sqs;
  readonly prefix: string;
  /** The time of day. */
  readonly wallNow: () => number;
};

/** As much of a message as it takes to bury it. */
export type Burying = Pick<Held, 'function' | 'messageId' | 'enveloped' | 'received'>;

/** Nobody of ours sent it. It is kept like the others, for people to look at. */
export function strange(
  { wallNow }: Pick<BuryingParts, 'wallNow'>,
  name: string,
  { messageId, group, body }: Received,
): Enveloped {
  const message = { function: name, group, type: 'unknown', body, eventId: messageId };
  return envelopeFor(message, { id: messageId, sentAtMs: wallNow() });
}

/** A group of its own for each, copies included, so that all of them can be seen. */
export async function bury(
  { sqs, prefix, wallNow }: BuryingParts,
  { function: name, messageId, enveloped, received }: Burying,
  why: string,
): Promise<void> {
  const atMs = wallNow();
  const { text } = written({ ...enveloped, buried: { why, received, atMs } });
  // By SQS's own id: who writes messages by hand may give two of them one, of which SQS would then drop the second.
  const ids = {
    group: groupId(`${messageId}/${atMs}`),
    deduplication: deduplicationId(`${messageId}/buried`),
  };
  const entry = { id: '0', body: text, ...ids };
  const [failed] = await sqs.send(deadQueueName(prefix, name), [entry]);
  if (failed !== undefined) throw new Error(`SQS did not take a dead letter: ${failed.why}`);
}
