import type { Outgoing } from './queue.ts';

/** Of everything but the body: what indexes hold and people read. */
export const longestField = 1_000;
/** One key of an index holds them all, and Postgres takes 2,704 bytes for one: what it refused then would be asked again for ever. */
const mostBytes = { function: 500, key: 2_000 } as const;

/**
 * Nothing of a batch is sent where one of it cannot be: Postgres stores no NUL, UTF-8 has no lone surrogates, and
 * a queue that changed them in silence would hand over another body than the one it got.
 */
export function refuseUnsendable(messages: readonly Outgoing[]): void {
  for (const message of messages) {
    const why = unsendable(message);
    if (why !== undefined) throw new Error(`cannot send to ${shown(message.group)}: ${why}`);
  }
}

/** Why not; `undefined` for what can be sent. */
export function unsendable(message: Outgoing): string | undefined {
  if (message.function === '' || message.group === '') return 'it names no function or no group';
  // Each event makes one, and its entries would be more than twice the memory of the message itself.
  for (const field in message) {
    const why = wrongIn(field, message[field as keyof Outgoing]);
    if (why !== undefined) return why;
  }
  return wrongInKey(message);
}

export type Unsent = {
  readonly function: string;
  /** Whose event it is, or which member of a set. */
  readonly object: string;
  readonly why: string;
};

/** A message, and for whose sake it is. */
export type WakeUp = { readonly of: Place; readonly message: Outgoing };
type Place = { readonly namespace: string; readonly name: string };

/** What somebody wrote into one object must not keep all others of its kind from being told, by an error for ever. */
export function sortedOut(wakeUps: readonly WakeUp[]): {
  readonly sent: readonly Outgoing[];
  readonly unsent: readonly Unsent[];
} {
  const unsent = wakeUps.flatMap(({ of, message }) => {
    const why = unsendable(message);
    return why === undefined ? [] : [{ message, of, why }];
  });
  const isUnsent = new Set(unsent.map(({ message }) => message));
  return {
    sent: wakeUps.map(({ message }) => message).filter((message) => !isUnsent.has(message)),
    unsent: unsent.map(({ message, of, why }) => ({
      ...{ function: message.function, object: shownPlace(of), why },
    })),
  };
}

/** As long as Kubernetes' own names can be, and a slash between them. */
const longestPlace = 317;

/** For people: some kinds have names without a bound. */
export function shownPlace({ namespace, name }: Place): string {
  const place = `${namespace}/${name}`;
  return place.length > longestPlace ? `${place.slice(0, longestPlace)}…` : place;
}

function wrongIn(field: string, value: Outgoing[keyof Outgoing]): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (value.includes('\0')) return `${field} has a NUL`;
  if (!value.isWellFormed()) return `${field} has half a character`;
  return field !== 'body' && isTooLong(value) ? `${field} is too long` : undefined;
}

function isTooLong(value: string): boolean {
  return value.length > longestField || Buffer.byteLength(value) > mostBytes.key;
}

function wrongInKey({ function: name, group, mergeKey = '' }: Outgoing): string | undefined {
  if (Buffer.byteLength(name) > mostBytes.function) return 'function is too long';
  const isLong = Buffer.byteLength(group) + Buffer.byteLength(mergeKey) > mostBytes.key;
  return isLong ? 'group and mergeKey are too long together' : undefined;
}

function shown(group: string): string {
  return JSON.stringify(group.length > 80 ? `${group.slice(0, 80)}…` : group);
}

/** Of a reason for a burial. */
const longestReason = 10_000;

/** Whatever a function says: a reason that the queue cannot hold must not keep its message from being put aside. */
export function reasonText(why: string): string {
  return why.slice(0, longestReason).replaceAll('\0', '\ufffd').toWellFormed();
}
