import type { Delivery, Receiving } from '#events/queue.ts';
import { isInFlight, type Stored } from './decisions.ts';
import { bury, deliveryOf, inTurn, keyOf, replace, type Shelf, turnAt } from './shelf.ts';
import type { Waiting } from './waiting.ts';

export type Receiver = {
  readonly shelf: Shelf;
  readonly waiting: Waiting;
  readonly count: () => number;
  readonly isClosed: () => boolean;
  /** The process that asks. */
  readonly by: string;
};

export async function receive(parts: Receiver, receiving: Receiving): Promise<readonly Delivery[]> {
  const { shelf, waiting, isClosed } = parts;
  const untilMs = shelf.nowMs() + receiving.waitMs;
  for (;;) {
    const claimed = isClosed() ? [] : claim(parts, receiving);
    const leftMs = untilMs - shelf.nowMs();
    if (claimed.length > 0 || leftMs <= 0 || receiving.signal?.aborted || isClosed()) {
      return claimed;
    }
    const ms = Math.min(leftMs, nextExpiryMs(shelf, receiving.functions));
    await waiting.change({ ms, signal: receiving.signal });
  }
}

function claim(parts: Receiver, receiving: Receiving): readonly Delivery[] {
  const { shelf, by } = parts;
  return chosen(parts, receiving).map((next) => {
    const untilMs = shelf.nowMs() + receiving.visibilityMs;
    const hold = { receipt: `r${parts.count()}`, untilMs, by };
    const held = { ...next, received: next.received + 1, hold };
    replace(shelf, held);
    turnAt(shelf, keyOf(held.message), hold.untilMs);
    return deliveryOf(held, shelf.nowMs());
  });
}

/** As long as a suspect is there, the hands of whichever process asks are kept free, or have nothing else. */
function chosen(parts: Receiver, { functions, max }: Receiving): readonly Stored[] {
  const { shelf, by } = parts;
  const inHand = [...shelf.groups.values()]
    .flat()
    .filter((each) => each.hold?.by === by && isInFlight(each, shelf.nowMs()));
  const { isSuspect } = shelf.decisions;
  if (inHand.some((each) => isSuspect({ ...each, received: each.received - 1 }))) return [];

  const first: Stored[] = [];
  for (const key of inTurn(shelf)) {
    if (first.length >= max) break;
    const next = claimFrom(parts, key, functions);
    if (next !== undefined) first.push(next);
  }
  const suspect = first.find(isSuspect);
  if (suspect === undefined) return first;
  return inHand.length === 0 ? [suspect] : [];
}

/** What kills whoever handles it is passed over, one after another. */
function claimFrom(
  { shelf }: Receiver,
  key: string,
  functions: readonly string[],
): Stored | undefined {
  for (;;) {
    const messages = shelf.groups.get(key) ?? [];
    if (messages[0] === undefined || !functions.includes(messages[0].message.function)) return;
    const next = shelf.decisions.claim({ messages, isLocked: shelf.isLocked(key) }, shelf.nowMs());
    if (next.kind === 'none') return;
    if (next.kind === 'deliver') return next.message;
    bury(shelf, next.message, next.why);
  }
}

function nextExpiryMs(shelf: Shelf, functions: readonly string[]): number {
  const held = [...shelf.groups.values()]
    .flat()
    .filter(({ message }) => functions.includes(message.function))
    .map(({ hold }) => (hold?.untilMs ?? 0) - shelf.nowMs());
  return Math.min(...held.filter((ms) => ms > 0));
}
