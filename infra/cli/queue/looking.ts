import type { Depth, Waiting } from '#events/queue.ts';
import type { Scheduled } from '#events/schedule.ts';
import type { Opened, Owner } from './use.ts';

/** Of one function: what is on the queue, and what comes there when its time has come. */
export type FullDepth = Depth &
  Owner & {
    readonly scheduled: number;
    /** Left out where nothing is scheduled. */
    readonly nextSeconds?: number;
  };

/** One that is scheduled is shown like one that waits, so that scripts find all fields of each. */
export type Next = Waiting & Partial<Pick<Scheduled, 'reason' | 'attempt' | 'dueMs'>>;

export async function depthsIn(opened: Opened): Promise<readonly FullDepth[]> {
  const { queue, schedule, of } = opened;
  // One after the other: what is moved between is counted twice rather than not at all.
  const scheduled = await schedule.depth();
  const depths = await queue.depth();
  const names = new Set([...depths, ...scheduled].map((each) => each.function));
  return [...names].toSorted().map((name) => {
    const depth = depths.find((each) => each.function === name) ?? { ...nothing, function: name };
    const ahead = scheduled.find((each) => each.function === name);
    if (ahead === undefined) return { ...of, ...depth, scheduled: 0 };
    return { ...of, ...depth, scheduled: ahead.scheduled, nextSeconds: ahead.nextMs / 1_000 };
  });
}

const nothing = { waiting: 0, inFlight: 0, dead: 0, oldestSeconds: 0 };

export async function nextIn(
  { queue, schedule }: Opened,
  name: string,
  max: number,
): Promise<readonly Next[]> {
  const scheduled = await schedule.peek(name, max);
  const waiting = await queue.peek(name, max);
  return [...waiting, ...scheduled.map(shown)].slice(0, max);
}

function shown(each: Scheduled): Next {
  const id = `${each.reason}/${each.group}/${each.eventId}`;
  return { ...each, id, received: 0, waitedMs: 0, inFlight: false };
}
