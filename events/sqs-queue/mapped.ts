import { deduplicationId, queueName } from './addresses.ts';
import { deadLettersOn, strange } from './dead-letters.ts';
import { read } from './envelope.ts';
import type { Received, Sqs } from './sqs.ts';
import type { Timing } from './timing.ts';

/** A message that AWS's event source mapping received for a function, and settles when that has answered. */
export type Mapped = Received & { readonly function: string; readonly prefix: string };

/** What such a function does to its queue by itself. */
export type MappedEndings = {
  /** Puts a copy aside with the reason; the mapping settles it. Whoever dies in between leaves it twice, never none. */
  bury(mapped: Mapped, why: string): Promise<void>;
  /** A copy that nobody has received yet, behind the others of its group; the mapping settles this one. */
  renew(mapped: Mapped): Promise<void>;
  /** Before the mapping does. `false`: the handle is worth nothing any more, and somebody else may have it. */
  settle(mapped: Mapped): Promise<boolean>;
};

export function mappedEndingsOn(sqs: Sqs, timing: Pick<Timing, 'now'>): MappedEndings {
  return {
    bury({ function: name, prefix, ...received }, why) {
      const enveloped = read(received.body) ?? strange({ timing }, name, received);
      const held = { function: name, enveloped, received: received.received };
      return deadLettersOn({ sqs, prefix, timing }).bury(held, why);
    },
    async renew({ function: name, prefix, messageId, body, group, received }) {
      const deduplication = deduplicationId(`${messageId}/${received}`);
      const entry = { id: '0', body, group, deduplication };
      const [failed] = await sqs.send(queueName(prefix, name), [entry]);
      if (failed !== undefined) throw new Error(`SQS did not take a message again: ${failed.why}`);
    },
    async settle({ function: name, prefix, handle }) {
      const [isSettled = false] = await sqs.delete(queueName(prefix, name), [handle]);
      return isSettled;
    },
  };
}
