import type { Outgoing } from '../queue.ts';

/**
 * Of one batch, what stands for what; each keeps the place of the first. Nothing is merged past another message of its
 * subject: after a restore an object that was deleted may be there again, and the last word must come last.
 */
export function mergeWithin(messages: readonly Outgoing[]): readonly Outgoing[] {
  const merged: Outgoing[] = [];
  const places = new Map<string | symbol, number>();
  const last = new Map<string | symbol, string | symbol>();
  for (const message of messages) {
    const [key, subject] = [mergeIdentity(message), subjectIdentity(message)];
    const place = (last.get(subject) ?? key) === key ? places.get(key) : undefined;
    const standing = place === undefined ? undefined : merged[place];
    if (place !== undefined && standing !== undefined) merged[place] = absorb(standing, message);
    else places.set(key, merged.push(message) - 1);
    last.set(subject, key);
  }
  return merged;
}

/** Each of a batch: may it be merged into what waits already? Not past another one of its subject. */
export function firstsOf(messages: readonly Outgoing[]): readonly boolean[] {
  const seen = new Set<string | symbol>();
  return messages.map((message) => {
    const subject = subjectIdentity(message);
    const isFirst = !seen.has(subject);
    seen.add(subject);
    return isFirst;
  });
}

function mergeIdentity({ function: name, group, mergeKey }: Outgoing): string | symbol {
  return mergeKey === undefined ? Symbol() : JSON.stringify([name, group, mergeKey]);
}

function subjectIdentity({ function: name, group, subject }: Outgoing): string | symbol {
  return subject === undefined ? Symbol() : JSON.stringify([name, group, subject]);
}

function absorb(standing: Outgoing, { eventId, attempt = 0 }: Outgoing): Outgoing {
  return { ...standing, eventId, attempt: Math.min(standing.attempt ?? 0, attempt) };
}
