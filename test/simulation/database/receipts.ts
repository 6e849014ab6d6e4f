import { type Delivery, maxReceived, suspectAfter } from '#events/queue.ts';
import type { Ledger } from './ledger.ts';

/** Who may settle what, by our own count and not by the queue's. */
export type Receipts = {
  given(delivery: Delivery, hand: { readonly by: string; readonly visibilityMs: number }): void;
  extended(receipt: string, isDone: boolean, visibilityMs: number): void;
  ended(receipt: string, isDone: boolean): void;
  /** Something may be there for whoever found nothing. */
  changed(): void;
  foundNothing(by: string): void;
  mayFind(by: string): boolean;
  nextExpiry(): number;
};

function isSuspect({ received }: { readonly received: number }): boolean {
  return received >= suspectAfter && received < maxReceived;
}

type Held = {
  readonly group: string;
  readonly untilMs: number;
  readonly by: string;
  readonly isSuspect: boolean;
};
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
    given({ group, receipt, received }, { by, visibilityMs }) {
      for (const [other, { group: its }] of held) if (its === group) takeBack(kept, other, receipt);
      const next = { group, by, isSuspect: isSuspect({ received: received - 1 }) };
      judgeCompany(kept, next);
      held.set(receipt, { ...next, untilMs: now() + visibilityMs });
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

/** A crash counts against all that a process has in hand. */
function judgeCompany(kept: Kept, next: Omit<Held, 'untilMs'>): void {
  const beside = [...kept.held]
    .filter(([receipt, { by }]) => by === next.by && isValid(kept, receipt))
    .find(([, held]) => held.isSuspect || next.isSuspect);
  if (beside === undefined) return;
  const how = `${next.by} was given ${next.group} beside ${beside[1].group}`;
  kept.ledger.break('suspect', how);
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
  let changes = 0;
  const vain = new Map<string, { readonly changes: number; readonly atMs: number }>();
  const expiries = (): readonly number[] => [...held.values()].map(({ untilMs }) => untilMs);
  return {
    changed() {
      changes += 1;
    },
    foundNothing(by) {
      vain.set(by, { changes, atMs: now() });
    },
    mayFind(by) {
      const last = vain.get(by);
      if (last === undefined || last.changes < changes) return true;
      return expiries().some((untilMs) => untilMs > last.atMs && untilMs <= now());
    },
    nextExpiry: () => Math.min(...expiries().filter((untilMs) => untilMs > now())),
  };
}
