import type { EventWriter } from '#shared/ports.ts';

export type ReportedEvent = Parameters<EventWriter['report']>[0];

export type RecordedEvents = EventWriter & {
  /** One entry an Event; the same report again counts up, as in a cluster. */
  list(): readonly (ReportedEvent & { readonly count: number })[];
};

export function eventsRecorded(): RecordedEvents {
  const reported = new Map<string, ReportedEvent & { readonly count: number }>();
  return {
    async report(event) {
      const { regarding, type, reason, note } = event;
      const key = JSON.stringify([regarding.uid, type, reason, note]);
      reported.set(key, { ...event, count: (reported.get(key)?.count ?? 0) + 1 });
    },
    list: () => [...reported.values()],
  };
}
