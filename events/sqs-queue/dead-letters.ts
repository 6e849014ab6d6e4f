import { crashed, maxReceived } from '../queue.ts';
import { deadQueueName, deduplicationId, groupId } from './addresses.ts';
import { type Burial, type Enveloped, envelopeFor, read, written } from './envelope.ts';
import type { Held } from './ledger.ts';
import type { Received, Sqs } from './sqs.ts';
import type { Timing } from './timing.ts';

/** One that lies in the queue of dead letters, hidden from others for a while. */
export type Letter = {
  readonly function: string;
  readonly handle: string;
  readonly enveloped: Enveloped & { readonly buried: Burial };
};

type Look = (letter: Letter) => 'take' | 'leave';

export type DeadLetters = {
  bury(held: Pick<Held, 'function' | 'enveloped' | 'received'>, why: string): Promise<void>;
  /** Shows each of them once; those that are not taken are visible again afterwards. */
  each(functionName: string, look: Look): Promise<void>;
  drop(letters: readonly Letter[]): Promise<void>;
};

export type DeadLetterParts = {
  readonly sqs: Sqs;
  readonly prefix: string;
  readonly timing: Pick<Timing, 'now'>;
};

/** Nobody else sees the letters while somebody goes through them. */
const hiddenMs = 60_000;

export function deadLettersOn(parts: DeadLetterParts): DeadLetters {
  const { sqs, prefix } = parts;
  return {
    bury: (held, why) => bury(parts, held, why),
    async each(name, look) {
      // A function that was never deployed here has none.
      if (await sqs.has(deadQueueName(prefix, name))) await lookAtEach(parts, name, look);
    },
    async drop(dropped) {
      for (const [name, ours] of Map.groupBy(dropped, (each) => each.function)) {
        const handles = ours.map(({ handle }) => handle);
        await sqs.delete(deadQueueName(prefix, name), handles);
      }
    },
  };
}

async function lookAtEach(parts: DeadLetterParts, name: string, look: Look): Promise<void> {
  const left: string[] = [];
  try {
    for await (const letter of letters(parts, name)) {
      if (look(letter) === 'leave') left.push(letter.handle);
    }
  } finally {
    await parts.sqs.show(deadQueueName(parts.prefix, name), left);
  }
}

async function* letters(parts: DeadLetterParts, name: string): AsyncGenerator<Letter> {
  const queue = deadQueueName(parts.prefix, name);
  const { visible } = await parts.sqs.count(queue);
  const seen = new Set<string>();
  for (;;) {
    // A call that does not wait asks only some of SQS's servers.
    const waitSeconds = seen.size < visible ? 1 : 0;
    const batch = await parts.sqs.receive(queue, { max: 10, visibilityMs: hiddenMs, waitSeconds });
    if (batch.length === 0) return;
    for (const received of batch) {
      seen.add(received.messageId);
      const letter = await letterFrom(parts, name, received);
      if (letter !== undefined) yield letter;
    }
  }
}

/** What SQS moved here by itself lies in its old group, where it hides those behind it: it is buried as ours are. */
async function letterFrom(
  parts: DeadLetterParts,
  name: string,
  received: Received,
): Promise<Letter | undefined> {
  const enveloped = read(received.body) ?? strange(parts, name, received);
  const { buried } = enveloped;
  if (buried !== undefined) {
    return { function: name, handle: received.handle, enveloped: { ...enveloped, buried } };
  }
  await bury(parts, { function: name, enveloped, received: maxReceived }, crashed);
  await parts.sqs.delete(deadQueueName(parts.prefix, name), [received.handle]);
  return undefined;
}

/** Nobody of ours sent it. It is kept like the others, for people to look at. */
export function strange(
  { timing }: Pick<DeadLetterParts, 'timing'>,
  name: string,
  { messageId, group, body }: Received,
): Enveloped {
  const message = { function: name, group, type: 'unknown', body, eventId: messageId };
  return envelopeFor(message, { id: messageId, sentAtMs: timing.now() });
}

/** A group of its own for each, copies included, so that all of them can be seen. */
async function bury(
  { sqs, prefix, timing }: DeadLetterParts,
  { function: name, enveloped, received }: Pick<Held, 'function' | 'enveloped' | 'received'>,
  why: string,
): Promise<void> {
  const { id } = enveloped;
  const atMs = timing.now();
  const { text } = written({ ...enveloped, buried: { why, received, atMs } });
  // Of somebody else's message the id is whatever they wrote. What SQS moved here has its own id, and shall not hide its copy.
  const ids = { group: groupId(`${id}/${atMs}`), deduplication: deduplicationId(`${id}/buried`) };
  const entry = { id: '0', body: text, ...ids };
  const [failed] = await sqs.send(deadQueueName(prefix, name), [entry]);
  if (failed !== undefined) throw new Error(`SQS did not take a dead letter: ${failed.why}`);
}
