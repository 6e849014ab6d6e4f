import type { Delivery, Depth, Queue } from '../queue.ts';
import { deadQueueName, queueName } from './addresses.ts';
import { ailingOn } from './ailing.ts';
import { strange } from './burying.ts';
import type { Claimed } from './claiming.ts';
import { type DeadLetters, deadLettersOn } from './dead-letters.ts';
import { endingsOn } from './endings.ts';
import { type Enveloped, read } from './envelope.ts';
import { type Ledger, openLedger } from './ledger.ts';
import type { Outbox } from './outbox.ts';
import { type Receiver, receiverOn } from './receiving.ts';
import { relay } from './relay.ts';
import { bodyGone, returningOn } from './returning.ts';
import { settled } from './settled.ts';
import type { Sqs } from './sqs.ts';
import type { Lot } from './taking.ts';
import type { Timing } from './timing.ts';

export type SqsQueueOptions = Timing & {
  /** The time of day: what is sent and buried has it, for others to read. */
  readonly wallNow: () => number;
  /** Closed by whoever opened it, after the queue. */
  readonly sqs: Sqs;
  /** `gatehouse-<stage>`: queues are called `<prefix>-<function>.fifo`, and `-dead.fifo`. */
  readonly prefix: string;
  /** All that have a queue. */
  readonly functions: readonly string[];
  readonly outbox: Outbox;
  /** How long one call may wait; closing waits for it. */
  readonly pollSeconds?: number;
  /** How many dead letters are brought back or dropped at once. */
  readonly lot?: Lot;
  /** Told of what SQS did not take, which stays in the outbox for the next relay, and of queues that cannot be asked. */
  readonly onTrouble?: (cause: unknown) => void;
};

/** Sends of a transaction do not come by here: they go into the outbox, and from there by `startRelaying`. */
export function openSqsQueue(options: SqsQueueOptions): Queue {
  const parts = partsOf(options);
  const { sqs, outbox } = parts;
  const { onTrouble = () => undefined, pollSeconds = 5 } = options;
  const ailing = ailingOn(parts.timing, onTrouble);
  const receiver = receiverOn({ ...parts, pollSeconds, ailing });
  const handOn = handingOn(parts, onTrouble);
  return {
    async send(messages) {
      await outbox.add(messages);
      await handOn();
    },
    async receive(receiving) {
      const claimed = await receiver.receive(receiving);
      return openAll({ ...parts, keep: receiver.keep }, claimed, onTrouble);
    },
    ...endingsOn({ ...parts, bodies: outbox.bodies }),
    ...returningOn({ ...parts, functions: options.functions, lot: options.lot, relay: handOn }),
    depth: (functions = options.functions) =>
      settled(functions.map((name) => depthOf(parts, name))),
    // A message can only be seen by receiving it.
    peek: async () => [],
    async purge(name) {
      const { visible } = await sqs.count(queueName(options.prefix, name));
      const unsent = await outbox.purge(name);
      await sqs.purge(queueName(options.prefix, name));
      return unsent + visible;
    },
    close: receiver.close,
  };
}

/** What is in the outbox is sent: if SQS is away, that is no reason for the sender to send it again. */
function handingOn(parts: Parts, onTrouble: (cause: unknown) => void): () => Promise<void> {
  let last = Promise.resolve();
  const handOn = async (): Promise<void> => {
    try {
      const { failed } = await relay({ ...parts, now: parts.timing.now });
      for (const { id, why } of failed) onTrouble(new Error(`SQS did not take ${id}: ${why}`));
    } catch (cause: unknown) {
      onTrouble(cause);
    }
  };
  // One after another: who came while one was at work may have been too late for it.
  return () => {
    last = last.then(handOn);
    return last;
  };
}

type Parts = {
  readonly sqs: Sqs;
  readonly prefix: string;
  readonly timing: Timing;
  readonly wallNow: () => number;
  readonly outbox: Outbox;
  readonly ledger: Ledger;
  readonly dead: DeadLetters;
};

function partsOf({ sqs, prefix, outbox, now, wallNow, after }: SqsQueueOptions): Parts {
  const timing = { now, after };
  const dead = deadLettersOn({ sqs, prefix, wallNow });
  return { sqs, prefix, timing, wallNow, outbox, ledger: openLedger(now), dead };
}

type Opening = Parts & Pick<Receiver, 'keep'>;

/** One whose body cannot be asked for comes with the next ones; the others are no part of that. */
async function openAll(
  parts: Opening,
  claimed: readonly Claimed[],
  onTrouble: (cause: unknown) => void,
): Promise<readonly Delivery[]> {
  const opened = await Promise.allSettled(claimed.map((each) => open(parts, each)));
  const failed = opened.filter((each) => each.status === 'rejected');
  if (failed.length > 0 && failed.length === opened.length) throw failed[0]?.reason;
  for (const { reason } of failed) onTrouble(reason);
  return opened.flatMap((each) => (each.status === 'fulfilled' ? (each.value ?? []) : []));
}

/** What cannot be read is put aside at once: receiving it again cannot help. */
async function open(parts: Opening, claimed: Claimed): Promise<Delivery | undefined> {
  const enveloped = read(claimed.body);
  if (enveloped === undefined) {
    const theirs = strange(parts, claimed.function, claimed);
    return await setAside(parts, claimed, { enveloped: theirs, why: 'it cannot be read' });
  }
  const { id, body, message } = enveloped;
  // Whoever receives for one function would run it as another.
  if (message.function !== claimed.function) {
    return await setAside(parts, claimed, { enveloped, why: 'it names another function' });
  }
  const text = body.kind === 'inline' ? body.text : await keptBody(parts, claimed, id);
  if (text === undefined) return await setAside(parts, claimed, { enveloped, why: bodyGone });

  const { handle, messageId, received, untilMs, function: name } = claimed;
  const held = { function: name, handle, messageId, enveloped, body: text, received, untilMs };
  parts.ledger.hold(handle, held);
  return deliveryOf(claimed, { enveloped, text, nowMs: parts.wallNow() });
}

/** An outage of the database is nothing that a message can be buried for: given back, it would count as received. */
async function keptBody(
  { outbox, keep }: Opening,
  claimed: Claimed,
  id: string,
): Promise<string | undefined> {
  try {
    return await outbox.bodies.find(id);
  } catch (cause: unknown) {
    // What failed first is what is told.
    await Promise.allSettled([keep(claimed)]);
    throw cause;
  }
}

type Odd = { readonly enveloped: Enveloped; readonly why: string };

async function setAside(
  parts: Parts,
  claimed: Claimed,
  { enveloped, why }: Odd,
): Promise<undefined> {
  const { function: name, messageId, received, handle } = claimed;
  await parts.dead.bury({ function: name, messageId, enveloped, received }, why);
  await parts.sqs.delete(queueName(parts.prefix, name), [handle]);
}

type Opened = { readonly enveloped: Enveloped; readonly text: string; readonly nowMs: number };

function deliveryOf(claimed: Claimed, { enveloped, text, nowMs }: Opened): Delivery {
  const { id, message, sentAtMs } = enveloped;
  return {
    id,
    receipt: claimed.handle,
    function: message.function,
    group: message.group,
    type: message.type,
    body: text,
    eventId: message.eventId,
    attempt: message.attempt ?? 0,
    received: claimed.received,
    waitedMs: Math.max(0, nowMs - sentAtMs),
  };
}

/** SQS tells how old its oldest message is by CloudWatch alone: what is known is the outbox. */
async function depthOf({ sqs, prefix, outbox }: Parts, name: string): Promise<Depth> {
  const [queue, dead, unsent] = await settled([
    sqs.count(queueName(prefix, name)),
    sqs.count(deadQueueName(prefix, name)),
    outbox.unsent(name),
  ]);
  return {
    function: name,
    waiting: queue.visible + unsent.count,
    inFlight: queue.hidden,
    dead: dead.visible + dead.hidden,
    oldestSeconds: unsent.oldestSeconds,
  };
}
