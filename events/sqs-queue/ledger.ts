import type { Enveloped } from './envelope.ts';

/** What this process received and has not ended. */
export type Held = {
  readonly function: string;
  readonly handle: string;
  /** Given by SQS, and no other message's. */
  readonly messageId: string;
  readonly enveloped: Enveloped;
  readonly body: string;
  readonly received: number;
  /** From then on the receipt is worth nothing, whatever SQS says to it: it may be received by somebody else. */
  readonly untilMs: number;
};

export type Ledger = {
  hold(receipt: string, held: Held): void;
  find(receipt: string): Held | undefined;
  /** Nobody ends it twice. */
  take(receipt: string): Held | undefined;
};

export function openLedger(now: () => number): Ledger {
  const all = new Map<string, Held>();
  const find = (receipt: string): Held | undefined => {
    const held = all.get(receipt);
    return held !== undefined && held.untilMs > now() ? held : undefined;
  };
  return {
    hold(receipt, held) {
      for (const [old, { untilMs }] of all) if (untilMs <= now()) all.delete(old);
      all.set(receipt, held);
    },
    find,
    take(receipt) {
      const held = find(receipt);
      all.delete(receipt);
      return held;
    },
  };
}
