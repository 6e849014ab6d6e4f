import { setTimeout as after } from 'node:timers/promises';
import { as } from './database.ts';
import type { Fault } from './faults.ts';
import type { World } from './world.ts';

/** Groups in somebody's hands, as receipts name them. */
type Held = readonly string[];

/**
 * A worker that sleeps until another one has its messages, while all of these are made: by itself it would be the longest
 * of a short run. It comes for this alone: of two who share so little, one may have nothing to do in another fault.
 */
export function besideASleeper(faults: readonly Fault[]): readonly Fault[] {
  let its: Held = [];
  return [
    {
      name: 'a worker that falls asleep with messages in hand',
      async act(world) {
        world.workers.push(await world.start('worker', 'sleeper', world.configuration));
        its = await fallAsleep(world);
      },
    },
    ...faults,
    {
      name: 'a worker that wakes up when another one has its messages',
      async act({ workers, database, waits }) {
        await soon(waits.patienceMs, async () => {
          const held = await heldIn(database.url);
          return its.some((receipt) => held.includes(receipt)) ? undefined : true;
        });
        workers.at(-1)?.resume();
      },
    },
  ];
}

async function fallAsleep(world: World): Promise<Held> {
  const { workers, traffic, database, waits } = world;
  const { url } = database;
  const sleeper = workers.at(-1);
  return soon(waits.patienceMs, async () => {
    // Two have so little to do that it would seldom be caught with anything.
    traffic.touchAll();
    await after(waits.momentMs);
    sleeper?.pause();
    const before = await heldIn(url);
    // What the other one has, it has done with by then.
    await after(150);
    const still = await heldIn(url);
    const its = before.filter((receipt) => still.includes(receipt));
    if (its.length > 0) return its;
    sleeper?.resume();
    return undefined;
  });
}

async function soon<T>(patienceMs: number, look: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = performance.now() + patienceMs; ; await after(20)) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error('it never came about');
  }
}

/** Also those whose time is over, until somebody else takes them. */
async function heldIn(url: string): Promise<Held> {
  const rows = await as(
    url,
    (sql) => sql<{ receipt: string }[]>`
      select id || '/' || claims as receipt from queue_groups where is_claimed`,
  );
  return rows.map(({ receipt }) => receipt);
}
