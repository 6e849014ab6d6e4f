import { crashed, maxReceived, type Outgoing, suspectAfter } from '#events/queue.ts';

/** A message in its group. */
export type Stored = {
  readonly id: string;
  /** Where it stands in its group: smaller ones come first. */
  readonly place: number;
  readonly message: Outgoing;
  readonly received: number;
  readonly sentAtMs: number;
  /** Whoever received it last, until this time. */
  readonly hold?: Hold | undefined;
};

export type Hold = {
  readonly receipt: string;
  readonly untilMs: number;
  /** The process whose hands it is in. */
  readonly by: string;
};

export type Claim =
  | { readonly kind: 'none' }
  | { readonly kind: 'deliver'; readonly message: Stored }
  | { readonly kind: 'bury'; readonly message: Stored; readonly why: string };

/** What is known of a group; its messages in the order of their places. */
export type Group = {
  readonly messages: readonly Stored[];
  /** A transaction has sent to it and has not ended. */
  readonly isLocked: boolean;
};

/** Every decision of a queue by itself: the simulator puts a wrong one in the place of a right one. */
export type QueueDecisions = {
  /** Must a transaction wait for the one that has the group's lock? */
  readonly waits: (holder: number | undefined, asker: number) => boolean;
  /** The waiting message that stands for this one too, as it is then. */
  readonly merge: (
    messages: readonly Stored[],
    incoming: Outgoing,
    nowMs: number,
  ) => Stored | undefined;
  readonly claim: (group: Group, nowMs: number) => Claim;
  /** What is delivered only to empty hands, and alone. */
  readonly isSuspect: (message: Stored) => boolean;
  readonly mayEnd: (message: Stored, receipt: string, nowMs: number) => boolean;
  /** The group without what was buried. */
  readonly goOn: (messages: readonly Stored[], buried: Stored) => readonly Stored[];
  /** Where a dead letter comes back; `end` is behind everything. */
  readonly returnTo: (messages: readonly Stored[], end: number) => number;
};

export const queueDecisions: QueueDecisions = {
  waits: (holder, asker) => holder !== undefined && holder !== asker,
  merge,
  claim,
  isSuspect: ({ received }) => received >= suspectAfter && received < maxReceived,
  mayEnd: ({ hold }, receipt, nowMs) => hold?.receipt === receipt && hold.untilMs > nowMs,
  goOn: (messages, buried) => messages.filter(({ id }) => id !== buried.id),
  returnTo: (_, end) => end,
};

export function isInFlight({ hold }: Stored, nowMs: number): boolean {
  return hold !== undefined && hold.untilMs > nowMs;
}

/** Whoever holds a message may have read the object already: what changes afterwards needs a message of its own. */
function merge(messages: readonly Stored[], incoming: Outgoing, nowMs: number): Stored | undefined {
  if (incoming.mergeKey === undefined) return undefined;
  const waiting = messages.findLast(
    (stored) => stored.message.mergeKey === incoming.mergeKey && !isInFlight(stored, nowMs),
  );
  if (waiting === undefined || isPassed(messages, waiting, incoming)) return undefined;
  return { ...waiting, message: merged(waiting.message, incoming) };
}

/** After a restore an object that was deleted may be there again: the last word must come last. */
function isPassed(
  messages: readonly Stored[],
  { place }: Stored,
  { subject, mergeKey }: Outgoing,
): boolean {
  return (
    subject !== undefined &&
    messages.some(
      ({ place: other, message }) =>
        other > place && message.subject === subject && message.mergeKey !== mergeKey,
    )
  );
}

function merged(waiting: Outgoing, incoming: Outgoing): Outgoing {
  const attempt = Math.min(waiting.attempt ?? 0, incoming.attempt ?? 0);
  return { ...waiting, eventId: incoming.eventId, attempt };
}

/** Only ever the first one: whoever is behind it waits for its end. */
function claim({ messages, isLocked }: Group, nowMs: number): Claim {
  const [first] = messages;
  // What the open transaction merged into is not to be had before it ends.
  if (first === undefined || isLocked || isInFlight(first, nowMs)) return { kind: 'none' };
  return first.received >= maxReceived
    ? { kind: 'bury', message: first, why: crashed }
    : { kind: 'deliver', message: first };
}
