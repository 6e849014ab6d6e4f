import { createHash } from 'node:crypto';
import { crashed, maxReceived } from '../queue.ts';
import { deadQueueName } from './addresses.ts';
import { type Burying, type BuryingParts, bury, strange } from './burying.ts';
import { type Burial, type Enveloped, read, written } from './envelope.ts';
import type { Received } from './sqs.ts';

/** One that lies in the queue of dead letters, hidden from others for a while. */
export type Letter = {
  readonly function: string;
  readonly handle: string;
  readonly enveloped: Enveloped & { readonly buried: Burial };
  /** The same for copies alone: who writes messages by hand may give two of them one id. */
  readonly identity: string;
};

/** Where one lies. */
export type Lying = Pick<Letter, 'function' | 'handle'>;

/** `stop`: it is left, and so are all that have not been looked at. */
type Look = (letter: Letter) => 'take' | 'leave' | 'stop';

export type DeadLetters = {
  bury(buried: Burying, why: string): Promise<void>;
  /** Shows each of them once, or fails; those that are not taken are visible again afterwards. */
  each(functionName: string, look: Look): Promise<void>;
  drop(letters: readonly Lying[]): Promise<void>;
  /** Taken before, they are visible again. */
  leave(letters: readonly Lying[]): Promise<void>;
  /** About so many. */
  count(functionName: string): Promise<number>;
};

/** Nobody else sees the letters while somebody goes through them, which takes longer the more there are. */
const hiddenMs = { atLeast: 60_000, each: 20 } as const;

export function deadLettersOn(parts: BuryingParts): DeadLetters {
  const { sqs, prefix } = parts;
  return {
    bury: (buried, why) => bury(parts, buried, why),
    async each(name, look) {
      // A function that was never deployed here has none.
      if (await sqs.has(deadQueueName(prefix, name))) await lookAtEach(parts, name, look);
    },
    async drop(dropped) {
      for (const [queue, handles] of byQueue(prefix, dropped)) await sqs.delete(queue, handles);
    },
    async leave(left) {
      for (const [queue, handles] of byQueue(prefix, left)) await sqs.show(queue, handles);
    },
    async count(name) {
      const { visible, hidden } = await sqs.count(deadQueueName(prefix, name));
      return visible + hidden;
    },
  };
}

function byQueue(prefix: string, letters: readonly Lying[]) {
  return [...Map.groupBy(letters, (each) => each.function)].map(
    ([name, ours]) => [deadQueueName(prefix, name), ours.map(({ handle }) => handle)] as const,
  );
}

async function lookAtEach(parts: BuryingParts, name: string, look: Look): Promise<void> {
  const queue = deadQueueName(parts.prefix, name);
  const hidden = new Set<string>();
  try {
    for await (const received of everyOne(parts, { queue, hidden })) {
      const letter = await letterFrom(parts, name, received);
      const seen = letter === undefined ? 'buried' : look(letter);
      if (seen === 'stop') return;
      if (seen !== 'leave') hidden.delete(received.handle);
    }
  } finally {
    await parts.sqs.show(queue, [...hidden]);
  }
}

type Hiding = { readonly queue: string; readonly hidden: Set<string> };

/** What is received is hidden at once, ten at a time, whether or not anybody comes to it. */
async function* everyOne(
  { sqs }: BuryingParts,
  { queue, hidden }: Hiding,
): AsyncGenerator<Received> {
  const { visible } = await sqs.count(queue);
  const visibilityMs = hiddenMs.atLeast + hiddenMs.each * visible;
  const seen = new Set<string>();
  for (;;) {
    // A call that does not wait asks only some of SQS's servers.
    const waitSeconds = seen.size < visible ? 1 : 0;
    const batch = await sqs.receive(queue, { max: 10, visibilityMs, waitSeconds });
    if (batch.length === 0) return;
    addAll(hidden, batch);
    // From here on it would go round for ever, and what it has not come to it never would.
    if (batch.some(({ messageId }) => seen.has(messageId))) throw tooSlow(queue);
    for (const received of batch) {
      seen.add(received.messageId);
      yield received;
    }
  }
}

function addAll(hidden: Set<string>, batch: readonly Received[]): void {
  for (const { handle } of batch) hidden.add(handle);
}

function tooSlow(queue: string): Error {
  return new Error(`SQS is too slow: what it hid first of ${queue} came back before all was seen`);
}

/** What SQS moved here by itself lies in its old group, where it hides those behind it: it is buried as ours are. */
async function letterFrom(
  parts: BuryingParts,
  name: string,
  received: Received,
): Promise<Letter | undefined> {
  const enveloped = read(received.body) ?? strange(parts, name, received);
  const { buried, ...message } = enveloped;
  if (buried !== undefined) {
    const identity = identityOf(message);
    return { function: name, handle: received.handle, enveloped: { ...message, buried }, identity };
  }
  await bury(parts, { ...received, function: name, enveloped, received: maxReceived }, crashed);
  await parts.sqs.delete(deadQueueName(parts.prefix, name), [received.handle]);
  return undefined;
}

/** Without its time: of what is not ours it is that of the burial. */
function identityOf(message: Enveloped): string {
  const { text } = written({ ...message, sentAtMs: 0 });
  return createHash('sha256').update(text).digest('base64url');
}
