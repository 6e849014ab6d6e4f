import type { Outgoing } from '../queue.ts';

/** Of one batch, what stands for what; each keeps the place of the first. */
export function mergeWithin(messages: readonly Outgoing[]): readonly Outgoing[] {
  const merged = new Map<string | symbol, Outgoing>();
  for (const message of messages) {
    const key = mergeIdentity(message);
    const standing = merged.get(key);
    merged.set(key, standing === undefined ? message : absorb(standing, message));
  }
  return [...merged.values()];
}

function mergeIdentity({ function: name, group, mergeKey }: Outgoing): string | symbol {
  return mergeKey === undefined ? Symbol() : JSON.stringify([name, group, mergeKey]);
}

function absorb(standing: Outgoing, { eventId, attempt = 0 }: Outgoing): Outgoing {
  return { ...standing, eventId, attempt: Math.min(standing.attempt ?? 0, attempt) };
}
