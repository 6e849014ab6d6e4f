import type { Schedule } from '#events/schedule.ts';
import {
  type Planned,
  type ScheduleDecisions,
  type ScheduleOptions,
  scheduleDecisions,
  scheduleInMemory,
} from '#infra/emulator/testing/schedule-in-memory.ts';

/** What is on the schedule, seen through its own decisions. */
export type Wakeups = {
  schedule(options: ScheduleOptions): Schedule;
  /** Beside the periods, which never end. */
  pending(): number;
  nextDue(): number;
};

export function openWakeups(): Wakeups {
  const all = new Map<string, Planned>();
  return {
    schedule: (options) => watched(all, options),
    pending: () => [...all.values()].filter(({ reason }) => reason !== 'period').length,
    nextDue: () => Math.min(...[...all.values()].map(({ dueAtMs }) => dueAtMs)),
  };
}

type All = Map<string, Planned>;

function watched(all: All, { decisions, ...options }: ScheduleOptions): Schedule {
  const seen = seenDecisions(all, { ...scheduleDecisions, ...decisions });
  const schedule = scheduleInMemory({ ...options, decisions: seen });
  return {
    ...schedule,
    async setPeriods(periods) {
      await schedule.setPeriods(periods);
      // No decision is asked about a new period: it is due at once.
      for (const { message, everySeconds } of periods) {
        const planned = {
          message,
          reason: 'period',
          dueAtMs: options.now(),
          everySeconds,
        } as const;
        if (!all.has(seen.name(planned))) all.set(seen.name(planned), planned);
      }
    },
  };
}

function seenDecisions(all: All, { name, upsert, rearm }: ScheduleDecisions): ScheduleDecisions {
  return {
    name,
    upsert(there, planned) {
      const next = upsert(there, planned);
      all.set(name(planned), next);
      return next;
    },
    rearm(planned, nowMs) {
      const next = rearm(planned, nowMs);
      if (next === undefined) all.delete(name(planned));
      else all.set(name(planned), next);
      return next;
    },
  };
}
