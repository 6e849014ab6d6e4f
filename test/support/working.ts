import { vi } from 'vitest';
import type { ObjectChanged } from '#events/kinds.ts';
import { messageFor, type Payload } from '#events/messages.ts';
import type { Outgoing, Queue } from '#events/queue.ts';
import type { Schedule } from '#events/schedule.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { queueInMemory } from '#infra/emulator/testing/queue-in-memory.ts';
import { scheduleInMemory } from '#infra/emulator/testing/schedule-in-memory.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import type { Ports } from '#shared/ports.ts';
import type { After } from '#shared/runtime/periods.ts';
import { runOnce } from '#shared/runtime/reconcile.ts';
import { openOutages } from '#shared/runtime/worker/outage.ts';
import type { Found, Member } from '#shared/runtime/worker/plan-set.ts';
import { startWorker, type WorkerOptions } from '#shared/runtime/worker/worker.ts';
import type { Worked } from '#shared/runtime/worker/working.ts';
import { logRecorded, mapChanged } from './running.ts';

const after: After = (ms, call) => {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
};

/** A queue and a schedule in memory, by the machine's own time or another one. */
export function queueAndSchedule(now = () => performance.now()) {
  const queue = queueInMemory({ now, after });
  return { queue, schedule: scheduleInMemory({ now, queue }) };
}

export type Workplace = ReturnType<typeof workplace>;

/** A worker at a queue in memory, and all that it told. */
export function workplace(
  functions: readonly ReconcileFunction[],
  given: Partial<WorkerOptions> & {
    /** Wraps what the worker gets, so that it fails. */
    readonly queueSeen?: (queue: Queue) => Queue;
    readonly scheduleSeen?: (schedule: Schedule) => Schedule;
    readonly now?: () => number;
  } = {},
) {
  const { queue, schedule } = queueAndSchedule(given.now);
  const log = logRecorded();
  const conditions = conditionsRecorded();
  const worked: Worked[] = [];
  const { queueSeen = same, scheduleSeen = same, now: _, ...options } = given;
  const worker = startWorker({
    queue: queueSeen(queue),
    schedule: scheduleSeen(schedule),
    outages: openOutages({ name: 'queue', conditions, log, random: () => 0 }),
    run: (definition, wake, { stopped }) =>
      runOnce(definition, wake, { ports: {} as Ports, log, stopped }),
    members: async () => foundOf([]),
    visibilityMs: 10_000,
    random: () => 0,
    log,
    told: (told) => worked.push(told),
    functions: () => functions,
    groups: 16,
    ...options,
  });
  return { queue, schedule, worker, log, conditions, worked };
}

function same<T>(value: T): T {
  return value;
}

/** As a mirror has them that nobody is ahead of. */
export function foundOf(members: readonly Member[], now = 0): Found {
  return { members, now, caughtUpAt: now };
}

export function messageOf(changed: Partial<ObjectChanged> = {}, more: Partial<Outgoing> = {}) {
  const wake: Payload = mapChanged(changed);
  return { ...messageFor('follow-maps', wake, `${wake.uid}/1/MODIFIED`), ...more };
}

/** Looks often: what is waited for takes no time. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { interval: 2, timeout: 5_000 });
}
