import { inBatches } from '#shared/domain/in-batches.ts';
import type { Queue } from '../queue.ts';
import { reasonText } from '../sendable.ts';
import type { Bell } from './bell.ts';
import type { Sql } from './connection.ts';
import type { InHand } from './in-hand.ts';
import { type Receipt, receiptFrom, receiptText } from './receipts.ts';
import { buryHeld, type Ended, extendHeld, releaseHeld, settleHeld } from './settle.ts';
import { tellSleepers } from './telling.ts';

export type Endings = Pick<Queue, 'settle' | 'extend' | 'release' | 'bury'>;

export type Ending = {
  readonly sql: Sql;
  readonly bell: Bell;
  readonly inHand: InHand;
  /** How many messages have left. */
  readonly onGone: (count: number) => void;
};

type Answers = readonly boolean[];

export function endingsOn(parts: Ending): Endings {
  const { sql } = parts;
  const settle = inBatches<readonly string[], Answers>({
    run: (calls) => settleAll(parts, calls),
    max: 100,
    atOnce: 2,
  });
  const endOne = async (text: string, end: (receipt: Receipt) => Promise<readonly Ended[]>) => {
    const receipt = receiptFrom(text);
    if (receipt === undefined) return false;
    const ended = await end(receipt);
    parts.inHand.end([receipt]);
    goOn(parts, ended);
    return ended.length > 0;
  };

  return {
    settle,
    extend: async (text, visibilityMs) => {
      const receipt = receiptFrom(text);
      return receipt !== undefined && extendHeld(sql, receipt, visibilityMs);
    },
    release: (text) => endOne(text, (receipt) => releaseHeld(sql, receipt)),
    bury: (text, why) => endOne(text, (receipt) => buryHeld(sql, receipt, reasonText(why))),
  };
}

/** The receipts of several calls in one statement; of the same one twice, the first is good. */
async function settleAll(
  parts: Ending,
  calls: readonly (readonly string[])[],
): Promise<readonly Answers[]> {
  const receipts = new Map(calls.flat().map((text) => [text, receiptFrom(text)]));
  const known = [...receipts.values()].filter((receipt) => receipt !== undefined);
  const ended = known.length === 0 ? [] : await settleHeld(parts.sql, known);
  const settled = ended.filter(({ isSettled }) => isSettled);
  parts.inHand.end(known);
  parts.onGone(settled.length);
  goOn(parts, ended);

  const good = new Set(settled.map(receiptText));
  return calls.map((texts) => texts.map((text) => good.delete(text)));
}

/**
 * Others may be asleep while a group goes on, and it may be that nobody here receives any more. What was asked for is
 * done by then: if they cannot be told, they find it at their next look.
 */
function goOn({ sql, bell }: Ending, ended: readonly Ended[]): void {
  const functions = ended.filter(({ goesOn }) => goesOn).map((each) => each.function);
  if (functions.length === 0) return;
  bell.ring(functions);
  tellSleepers(sql, functions).catch(() => bell.ring(functions));
}
