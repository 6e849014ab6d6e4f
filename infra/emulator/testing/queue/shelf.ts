import type { Dead, Delivery, Depth, Outgoing, Waiting } from '#events/queue.ts';
import { reasonText } from '#events/sendable.ts';
import { isInFlight, type QueueDecisions, type Stored } from './decisions.ts';

export type Buried = { readonly stored: Stored; readonly why: string; readonly buriedAtMs: number };

/** What lies in the queue. */
export type Shelf = {
  /** By group; of those whose turn came at the same time, the first one is first. */
  readonly groups: Map<string, readonly Stored[]>;
  /** Since when each group may be claimed, or from when on: who goes on comes behind those that wait. */
  readonly turns: Map<string, number>;
  readonly dead: Map<string, Buried>;
  readonly nowMs: () => number;
  readonly decisions: QueueDecisions;
  readonly isLocked: (key: string) => boolean;
};

export function keyOf({ function: name, group }: Pick<Outgoing, 'function' | 'group'>): string {
  return JSON.stringify([name, group]);
}

export function put(shelf: Shelf, key: string, messages: readonly Stored[]): void {
  const { groups, turns } = shelf;
  if (messages.length === 0) {
    groups.delete(key);
    turns.delete(key);
    return;
  }
  if (!turns.has(key)) turns.set(key, shelf.nowMs());
  groups.set(
    key,
    messages.toSorted((one, other) => one.place - other.place),
  );
}

/** Behind all whose turn comes no later. */
export function turnAt({ groups, turns }: Shelf, key: string, atMs: number): void {
  const messages = groups.get(key);
  if (messages === undefined) return;
  turns.set(key, atMs);
  groups.delete(key);
  groups.set(key, messages);
}

export function inTurn({ groups, turns }: Shelf): readonly string[] {
  const turnOf = (key: string): number => turns.get(key) ?? 0;
  return [...groups.keys()].toSorted((one, other) => turnOf(one) - turnOf(other));
}

export function replace(shelf: Shelf, next: Stored): void {
  const key = keyOf(next.message);
  const messages = shelf.groups.get(key) ?? [];
  put(
    shelf,
    key,
    messages.map((stored) => (stored.id === next.id ? next : stored)),
  );
}

export function remove(shelf: Shelf, { id, message }: Stored): void {
  const key = keyOf(message);
  put(
    shelf,
    key,
    (shelf.groups.get(key) ?? []).filter((stored) => stored.id !== id),
  );
}

export function bury(shelf: Shelf, stored: Stored, why: string): void {
  const key = keyOf(stored.message);
  put(shelf, key, shelf.decisions.goOn(shelf.groups.get(key) ?? [], stored));
  shelf.dead.set(stored.id, { stored, why: reasonText(why), buriedAtMs: shelf.nowMs() });
}

/** Whoever has this receipt, as long as it is worth something. */
export function findHeld(shelf: Shelf, receipt: string): Stored | undefined {
  const nowMs = shelf.nowMs();
  return [...shelf.groups.values()]
    .flat()
    .find((stored) => shelf.decisions.mayEnd(stored, receipt, nowMs));
}

export function countDepth(shelf: Shelf, name: string): Depth {
  const nowMs = shelf.nowMs();
  const stored = of(shelf, name);
  const waiting = stored.filter((each) => !isInFlight(each, nowMs));
  const ages = waiting.map(({ sentAtMs }) => (nowMs - sentAtMs) / 1_000);
  const dead = [...shelf.dead.values()].filter((each) => each.stored.message.function === name);
  return {
    function: name,
    waiting: waiting.length,
    inFlight: stored.length - waiting.length,
    dead: dead.length,
    oldestSeconds: Math.max(0, ...ages),
  };
}

export function functionsOf({ groups, dead }: Shelf): readonly string[] {
  const stored = [...groups.values()].flat().concat([...dead.values()].map((each) => each.stored));
  return [...new Set(stored.map(({ message }) => message.function))].sort();
}

export function of({ groups }: Shelf, name: string): readonly Stored[] {
  return [...groups.values()].flat().filter(({ message }) => message.function === name);
}

export function deliveryOf({ id, message, received, sentAtMs, hold }: Stored, nowMs: number) {
  return {
    id,
    receipt: hold?.receipt ?? '',
    function: message.function,
    group: message.group,
    type: message.type,
    body: message.body,
    eventId: message.eventId,
    attempt: message.attempt ?? 0,
    received,
    waitedMs: nowMs - sentAtMs,
  } satisfies Delivery;
}

export function waitingOf(stored: Stored, nowMs: number): Waiting {
  const {
    id,
    function: name,
    group,
    type,
    eventId,
    received,
    waitedMs,
  } = deliveryOf(stored, nowMs);
  const inFlight = isInFlight(stored, nowMs);
  return { id, function: name, group, type, eventId, received, waitedMs, inFlight };
}

export function deadOf({ stored, why, buriedAtMs }: Buried): Dead {
  const { id, message, received } = stored;
  const { function: name, group, type, body, eventId } = message;
  return {
    ...{ id, function: name, group, type, body, eventId, received, why },
    buriedAt: new Date(buriedAtMs),
  };
}
