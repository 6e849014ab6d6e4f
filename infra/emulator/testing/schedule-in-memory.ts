import type { Outgoing, Sender } from '#events/queue.ts';
import {
  isPeriodic,
  type Period,
  type Reason,
  type Schedule,
  type Scheduled,
  type Wakeup,
} from '#events/schedule.ts';
import { refuseUnsendable } from '#events/sendable.ts';

/** What is to be put on the queue, and when. */
export type Planned = {
  readonly message: Outgoing;
  readonly reason: Reason;
  readonly dueAtMs: number;
  /** A period's. */
  readonly everySeconds?: number | undefined;
};

/** Every decision of a schedule by itself: the simulator puts a wrong one in the place of a right one. */
export type ScheduleDecisions = {
  /** Of two with the same name, one is left. */
  readonly name: (planned: Pick<Planned, 'message' | 'reason'>) => string;
  readonly upsert: (there: Planned | undefined, planned: Planned) => Planned;
  /** What is left of it when it moves to the queue. */
  readonly rearm: (planned: Planned, nowMs: number) => Planned | undefined;
};

export const scheduleDecisions: ScheduleDecisions = {
  // By merge key as well: what a deleted object left behind must not push out its successor's, nor the other way.
  name: ({ message, reason }) =>
    JSON.stringify([message.function, message.group, reason, message.mergeKey ?? '']),
  upsert,
  rearm: (planned, nowMs) =>
    planned.everySeconds === undefined
      ? undefined
      : { ...planned, dueAtMs: nowMs + planned.everySeconds * 1_000 },
};

/** The newer message at the earlier time, with never fewer attempts. */
function upsert(there: Planned | undefined, planned: Planned): Planned {
  if (there === undefined) return planned;
  const attempt = Math.max(there.message.attempt ?? 0, planned.message.attempt ?? 0);
  return {
    ...planned,
    message: { ...planned.message, attempt },
    dueAtMs: Math.min(there.dueAtMs, planned.dueAtMs),
  };
}

export type ScheduleOptions = {
  readonly now: () => number;
  readonly queue: Sender;
  readonly decisions?: Partial<ScheduleDecisions>;
};

export function scheduleInMemory({ now, queue, ...rest }: ScheduleOptions): Schedule {
  const decisions = { ...scheduleDecisions, ...rest.decisions };
  const all = new Map<string, Planned>();

  const put = (planned: Planned): void => {
    const name = decisions.name(planned);
    all.set(name, decisions.upsert(all.get(name), planned));
  };

  return {
    async add(wakeups) {
      refuseUnsendable(wakeups.map(({ message }) => message));
      for (const wakeup of wakeups) put(plannedFor(wakeup, now()));
    },
    async setPeriods(periods) {
      refuseUnsendable(periods.map(({ message }) => message));
      const named = periods.filter(isPeriodic).map((period) => periodFrom(period, now()));
      const names = named.map(decisions.name);
      for (const [name, { reason }] of all) {
        if (reason === 'period' && !names.includes(name)) all.delete(name);
      }
      named.forEach((period, at) => {
        const there = all.get(names[at] ?? '');
        all.set(names[at] ?? '', there === undefined ? period : changed(there, period, now()));
      });
    },
    async drop(functionName) {
      const dropped = [...all].filter(
        ([, { message, reason }]) => message.function === functionName && reason !== 'period',
      );
      for (const [name] of dropped) all.delete(name);
      return dropped.length;
    },
    async hasten(functionName) {
      const early = [...all].filter(
        ([, { message, reason, dueAtMs }]) =>
          message.function === functionName && reason !== 'period' && dueAtMs > now(),
      );
      for (const [name, planned] of early) all.set(name, { ...planned, dueAtMs: now() });
      return early.length;
    },
    async depth() {
      const scheduled = scheduledIn(all, now());
      const names = [...new Set(scheduled.map((each) => each.function))].toSorted();
      return names.map((name) => {
        const own = scheduled.filter((each) => each.function === name);
        return { function: name, scheduled: own.length, nextMs: own[0]?.dueMs ?? 0 };
      });
    },
    async peek(functionName, max) {
      const scheduled = scheduledIn(all, now());
      return scheduled.filter((each) => each.function === functionName).slice(0, max);
    },
    async moveDue(max) {
      const due = takeDue(all, { max, nowMs: now(), decisions });
      try {
        await queue.send(due.map(({ message }) => message));
      } catch (cause: unknown) {
        due.forEach(put);
        throw cause;
      }
      return { count: due.length, nextMs: nextMs(all, now()) };
    },
  };
}

/** Periods excepted, the next one first. */
function scheduledIn(all: ReadonlyMap<string, Planned>, nowMs: number): readonly Scheduled[] {
  return [...all.values()]
    .flatMap(({ message, reason, dueAtMs }) => {
      if (reason === 'period') return [];
      const { function: name, group, type, eventId, attempt = 0 } = message;
      const dueMs = Math.max(0, dueAtMs - nowMs);
      return [{ function: name, group, type, eventId, reason, attempt, dueMs }];
    })
    .toSorted((one, other) => one.dueMs - other.dueMs);
}

function plannedFor({ message, reason, afterMs }: Wakeup, nowMs: number): Planned {
  return { message, reason, dueAtMs: nowMs + afterMs };
}

function periodFrom({ message, everySeconds }: Period, nowMs: number): Planned {
  return { message, reason: 'period', dueAtMs: nowMs, everySeconds };
}

/** A shorter period begins at once to be shorter. */
function changed(there: Planned, period: Planned, nowMs: number): Planned {
  const latestMs = nowMs + (period.everySeconds ?? 0) * 1_000;
  return { ...period, dueAtMs: Math.min(there.dueAtMs, latestMs) };
}

type Taking = {
  readonly max: number;
  readonly nowMs: number;
  readonly decisions: ScheduleDecisions;
};

/** Nobody else finds them from here on; a period's next time is set with it. */
function takeDue(all: Map<string, Planned>, { max, nowMs, decisions }: Taking): readonly Planned[] {
  const due = [...all]
    .filter(([, { dueAtMs }]) => dueAtMs <= nowMs)
    .toSorted(([, one], [, other]) => one.dueAtMs - other.dueAtMs)
    .slice(0, max);
  for (const [name, planned] of due) {
    const next = decisions.rearm(planned, nowMs);
    if (next === undefined) all.delete(name);
    else all.set(name, next);
  }
  return due.map(([, planned]) => planned);
}

function nextMs(all: Map<string, Planned>, nowMs: number): number | undefined {
  const times = [...all.values()].map(({ dueAtMs }) => Math.max(0, dueAtMs - nowMs));
  return times.length === 0 ? undefined : Math.min(...times);
}
