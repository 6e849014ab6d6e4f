import type { Told } from '#events/forwarder/told.ts';
import type { Outgoing } from '#events/queue.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { Happening } from '../happening.ts';

type Committed = Extract<Told, { readonly kind: 'committed' }>;

export type Seen = { readonly cluster: string; readonly kind: Kind; readonly at: Date };

/** What a whole list finds and nobody wakes for is counted: of a large cluster that is all of it. */
export function openTailing(): (told: Told, seen: Seen) => readonly Happening[] {
  /** By scope, of the lists that are being read. */
  const inVain = new Map<string, number>();
  const during = (told: Committed, seen: Seen) => {
    const all = happeningsOf(told, seen);
    const before = inVain.get(told.scope);
    if (before === undefined) return all;
    const rest = all.filter((each) => !isInVain(each));
    inVain.set(told.scope, before + all.length - rest.length);
    return rest;
  };
  const after = ({ kind, scope }: Told, seen: Seen) => {
    const objects = inVain.get(scope) ?? 0;
    inVain.delete(scope);
    if (kind === 'listing') inVain.set(scope, 0);
    return objects === 0 ? [] : [foundIn(objects, seen)];
  };
  return (told, seen) => {
    if (told.kind === 'refused-line' || told.kind === 'unsent') return [];
    return told.kind === 'committed' ? during(told, seen) : after(told, seen);
  };
}

function isInVain(each: Happening): boolean {
  return each.kind === 'event' && each.change === 'added' && each.wakes.length === 0;
}

function foundIn(objects: number, { cluster, kind, at }: Seen): Happening {
  const { group, resource } = kind;
  return {
    ...{ kind: 'event', at: at.toISOString(), change: 'existing', eventId: '', wakes: [], objects },
    object: { cluster, group, resource, namespace: '', name: '', uid: '' },
  };
}

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
