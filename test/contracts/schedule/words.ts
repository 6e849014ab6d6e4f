import { expect } from 'vitest';
import type { Outgoing, Queue } from '#events/queue.ts';
import type { Moved, Schedule, Wakeup } from '#events/schedule.ts';

export type ScheduleUnderTest = {
  readonly schedule: Schedule;
  /** Where it moves to. */
  readonly queue: Queue;
  /** Two that this case has for itself. */
  readonly functions: readonly [string, string];
  advance(ms: number): Promise<void> | void;
};

/** What the cases are told in. */
export type Words = ReturnType<typeof wordsFor>;

export function wordsFor({ schedule, queue, functions }: ScheduleUnderTest) {
  const message = (group: string, more: Partial<Outgoing> = {}): Outgoing => {
    const [name] = functions;
    return {
      function: name,
      group,
      type: 't.v1',
      body: group,
      eventId: `event of ${group}`,
      ...more,
    };
  };
  /** Everything on the queue, settled. */
  const received = async () => {
    const all = [];
    for (;;) {
      const got = await queue.receive({ functions, max: 10, visibilityMs: 30_000, waitMs: 0 });
      if (got.length === 0) return all;
      all.push(...got);
      await queue.settle(got.map(({ receipt }) => receipt));
    }
  };
  return {
    message,
    received,
    later: (group: string, afterMs: number): Wakeup => {
      return { message: message(group), reason: 'later', afterMs };
    },
    retry: (group: string, afterMs: number, attempt: number): Wakeup => {
      return { message: message(group, { attempt }), reason: 'retry', afterMs };
    },
    async moved() {
      const { count }: Moved = await schedule.moveDue(100);
      const all = await received();
      expect(all).toHaveLength(count);
      return all;
    },
  };
}
