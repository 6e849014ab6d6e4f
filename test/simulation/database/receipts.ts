import type { Delivery } from '#events/queue.ts';
import type { Ledger } from './ledger.ts';

/** Who may settle what, by our own count and not by the queue's. */
export type Receipts = {
  given(delivery: Delivery, visibilityMs: number): void;
  extended(receipt: string, isDone: boolean, visibilityMs: number): void;
  ended(receipt: string, isDone: boolean): void;
  /** Something may be there for whoever found nothing. */
  changed(): void;
  foundNothing(): void;
  mayFind(): boolean;
  nextExpiry(): number;
};

type Held = { readonly group: string; readonly untilMs: number };
type Options = { readonly now: () => number; readonly ledger: Ledger };
type Kept = Options & { readonly held: Map<string, Held> };

export function openReceipts(options: Options): Receipts {
  const kept: Kept = { ...options, held: new Map() };
  return { ...rightsIn(kept), ...newsIn(kept) };
}

type Rights = Pick<Receipts, 'given' | 'extended' | 'ended'>;

function rightsIn(kept: Kept): Rights {
  const { held, now } = kept;
  return {
    given({ group, receipt }, visibilityMs) {
      for (const [other, { group: its }] of held) if (its === group) takeBack(kept, other, receipt);
      held.set(receipt, { group, untilMs: now() + visibilityMs });
    },
    extended(receipt, isDone, visibilityMs) {
      judge(kept, receipt, isDone);
      const there = held.get(receipt);
      if (isDone && there) held.set(receipt, { ...there, untilMs: now() + visibilityMs });
    },
    ended(receipt, isDone) {
      judge(kept, receipt, isDone);
      held.delete(receipt);
    },
  };
}

function isValid({ held, now }: Kept, receipt: string): boolean {
  return (held.get(receipt)?.untilMs ?? 0) > now();
}

function judge(kept: Kept, receipt: string, isDone: boolean): void {
  if (isDone === isValid(kept, receipt)) return;
  const how = isDone ? 'was taken after its time' : 'was refused in its time';
  kept.ledger.break('settle', `receipt ${receipt} ${how}`);
}

/** Somebody else has the group now. */
function takeBack(kept: Kept, other: string, receipt: string): void {
  const how = `${kept.held.get(other)?.group}: ${receipt} was given while ${other} was valid`;
  if (isValid(kept, other)) kept.ledger.break('receipt', how);
  kept.held.delete(other);
}

type News = Pick<Receipts, 'changed' | 'foundNothing' | 'mayFind' | 'nextExpiry'>;

/** Whether looking for messages makes sense: a vain look is a step that shows nothing. */
function newsIn({ held, now }: Kept): News {
  let isFresh = true;
  let foundNothingAt = 0;
  const expiries = (): readonly number[] => [...held.values()].map(({ untilMs }) => untilMs);
  return {
    changed() {
      isFresh = true;
    },
    foundNothing() {
      isFresh = false;
      foundNothingAt = now();
    },
    mayFind: () =>
      isFresh || expiries().some((untilMs) => untilMs > foundNothingAt && untilMs <= now()),
    nextExpiry: () => Math.min(...expiries().filter((untilMs) => untilMs > now())),
  };
}
