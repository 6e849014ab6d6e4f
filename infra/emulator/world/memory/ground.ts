import type { Schedule, Wakeup } from '#events/schedule.ts';
import type { Log } from '#shared/runtime/log.ts';
import type { MirrorShelf } from '../../testing/mirror/shelf.ts';
import type { QueueInMemory } from '../../testing/queue-in-memory.ts';
import type { RestartShelf } from '../../testing/restarts-in-memory.ts';
import type { FixedSettings } from '../../testing/settings-fixed.ts';
import type { VerdictsInMemory } from '../../testing/verdicts-in-memory.ts';
import type { Diary } from '../ports-seen.ts';
import type { Reported } from '../reports.ts';
import type { Time } from '../time.ts';
import type { EmulateOptions } from '../world.ts';
import type { ApiServer } from './api-server.ts';
import type { Rules } from './rules.ts';
import type { Troubles } from './troubles.ts';
import type { Watches } from './watch.ts';

/** What outlives a process: the cluster, the database, the queue, and time. */
export type Ground = {
  readonly time: Time;
  readonly server: ApiServer;
  readonly rules: Rules;
  readonly watches: Watches;
  readonly shelf: MirrorShelf;
  readonly restarts: RestartShelf;
  readonly verdicts: VerdictsInMemory;
  readonly beyond: Pick<EmulateOptions, 'images' | 'outside'>;
  readonly queue: QueueInMemory;
  readonly schedule: Schedule;
  readonly planned: Planned;
  readonly settings: FixedSettings;
  readonly reported: Reported;
  readonly diary: Diary;
  /** What the forwarders said. */
  readonly story: string[];
  readonly troubles: Troubles;
  readonly log: Log;
  /** Around all that waits for invented time while a function runs. */
  readonly held: Held;
};

export type Held = {
  readonly around: <T>(work: Promise<T>) => Promise<T>;
  count(): number;
};

export function openHeld(): Held {
  let count = 0;
  return {
    async around(work) {
      count += 1;
      try {
        return await work;
      } finally {
        count -= 1;
      }
    },
    count: () => count,
  };
}

/** What a run put off: the schedule itself does not tell a retry from a period. */
export type Planned = {
  add(wakeups: readonly Wakeup[]): void;
  /** Those that are still to come. */
  list(): readonly (Wakeup & { readonly dueAtMs: number })[];
};

export function openPlanned(time: Pick<Time, 'now'>): Planned {
  let all: readonly (Wakeup & { readonly dueAtMs: number })[] = [];
  return {
    add(wakeups) {
      const dated = wakeups.map((each) => ({ ...each, dueAtMs: time.now() + each.afterMs }));
      all = [...all, ...dated];
    },
    list() {
      all = all.filter(({ dueAtMs }) => dueAtMs > time.now());
      return all;
    },
  };
}
