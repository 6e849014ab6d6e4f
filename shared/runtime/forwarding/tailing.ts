import type { Told } from '#events/forwarder/told.ts';
import type { Outgoing } from '#events/queue.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { Happening } from '../worker/happening.ts';

type Committed = Extract<Told, { readonly kind: 'committed' }>;

export type Seen = { readonly cluster: string; readonly kind: Kind; readonly at: Date };

/** What happened in one transaction, and whom each of it woke. */
export function happeningsOf({ plan, sent }: Committed, seen: Seen): readonly Happening[] {
  const woken = Map.groupBy(sent, ({ eventId }) => eventId);
  const { group, resource } = seen.kind;
  return plan.happened.map(({ type, namespace, name, uid, eventId }) => ({
    kind: 'event',
    at: seen.at.toISOString(),
    change: type,
    object: { cluster: seen.cluster, group, resource, namespace, name, uid },
    eventId,
    wakes: functionsOf(woken.get(eventId) ?? []),
  }));
}

function functionsOf(messages: readonly Outgoing[]): string[] {
  return [...new Set(messages.map((message) => message.function))];
}
