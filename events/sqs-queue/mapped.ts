import { deduplicationId, queueName } from './addresses.ts';
import { bury, strange } from './burying.ts';
import { callsOf } from './calls.ts';
import { read } from './envelope.ts';
import type { Received, Sqs } from './sqs.ts';

/** A message that AWS's event source mapping received for a function, and settles when that has answered. */
export type Mapped = Received & { readonly function: string; readonly prefix: string };

export type Renewal =
  | { readonly kind: 'renewed' }
  /** SQS did not take it. */
  | { readonly kind: 'refused'; readonly why: string };

/** What such a function does to its queue by itself. */
export type MappedEndings = {
  /** Puts a copy aside with the reason; the mapping settles it. Whoever dies in between leaves it twice, never none. */
  bury(mapped: Mapped, why: string): Promise<void>;
  /**
   * Of each a copy that nobody has received yet, in their order behind the others of their group; the mapping settles
   * these. All of one queue, as a mapping hands them over.
   */
  renew(mapped: readonly Mapped[]): Promise<readonly Renewal[]>;
  /** Before the mapping does. `false`: the handle is worth nothing any more, and somebody else may have it. */
  settle(mapped: Mapped): Promise<boolean>;
};

type TimeOfDay = { readonly now: () => number };

export function mappedEndingsOn(sqs: Sqs, timeOfDay: TimeOfDay): MappedEndings {
  const { now: wallNow } = timeOfDay;
  return {
    bury({ function: name, prefix, ...received }, why) {
      const enveloped = read(received.body) ?? strange({ wallNow }, name, received);
      const held = { ...received, function: name, enveloped };
      return bury({ sqs, prefix, wallNow }, held, why);
    },
    async renew(mapped) {
      const renewals: Renewal[] = [];
      for (const call of callsOf(mapped.map((each) => ({ each, text: each.body })))) {
        const copies = call.map(({ each }) => each);
        // Whatever is behind one that cannot be sent would overtake it.
        renewals.push(...(renewals.some(isRefused) ? copies.map(behind) : await sent(sqs, copies)));
      }
      return renewals;
    },
    async settle({ function: name, prefix, handle }) {
      const [isSettled = false] = await sqs.delete(queueName(prefix, name), [handle]);
      return isSettled;
    },
  };
}

/** Whether a call that was lost has arrived nobody knows: then some of them run twice. */
async function sent(sqs: Sqs, copies: readonly Mapped[]): Promise<readonly Renewal[]> {
  try {
    return await send(sqs, copies);
  } catch (cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return copies.map(() => ({ kind: 'refused', why }));
  }
}

async function send(sqs: Sqs, copies: readonly Mapped[]): Promise<readonly Renewal[]> {
  const [first] = copies;
  if (first === undefined) return [];
  const entries = copies.map(({ messageId, body, group, received }, at) => {
    const deduplication = deduplicationId(`${messageId}/${received}`);
    return { id: `${at}`, body, group, deduplication };
  });
  const failed = await sqs.send(queueName(first.prefix, first.function), entries);
  return entries.map(({ id }) => {
    const failure = failed.find((each) => each.id === id);
    return failure === undefined ? { kind: 'renewed' } : { kind: 'refused', why: failure.why };
  });
}

function isRefused({ kind }: Renewal): boolean {
  return kind === 'refused';
}

function behind(): Renewal {
  return { kind: 'refused', why: 'the one before it was not taken' };
}
