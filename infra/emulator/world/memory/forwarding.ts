import { type Forwarder, openForwarder } from '#events/forwarder/forwarder.ts';
import type { Told } from '#events/forwarder/told.ts';
import { usualPace } from '#events/forwarder/world.ts';
import { type StoreInMemory, storeInMemory } from '../../testing/store-in-memory.ts';
import { askOn } from './asking.ts';
import type { Ground } from './ground.ts';
import { type Life, mortal } from './mortal.ts';
import { clusterOf } from './ports.ts';
import { streamOn } from './stream.ts';

export type Forwarding = {
  readonly forwarder: Forwarder;
  readonly store: StoreInMemory;
  /** Scopes that are being watched, from the end of their list on. */
  isFollowing(scope: string): boolean;
  /** Why a scope is not followed, where it said so. */
  whyNot(scope: string): string | undefined;
};

let holders = 0;

/** Production's forwarder on invented time. */
export function forwardingOn(ground: Ground, life: Life): Forwarding {
  const { time, shelf, queue, rules, watches } = ground;
  const cluster = clusterOf(ground);
  const store = storeInMemory({ shelf, cluster, now: time.now, open: queue.open });
  const ask = askOn({ ...ground, held: ground.held.around });
  const followed = openFollowed(ground);
  holders += 1;
  const forwarder = openForwarder({
    cluster,
    stream: mortal(streamOn(ask, watches, rules), life),
    store: mortal(store, life),
    holder: `world-${holders}`,
    pace: usualPace,
    now: time.now,
    // Nothing is left to chance: the same scenario goes the same way each time.
    random: () => 0.5,
    pause: time.pause,
    tell: followed.tell,
  });
  return { forwarder, store, isFollowing: followed.is, whyNot: followed.whyNot };
}

function openFollowed({ story, time }: Ground) {
  const following = new Set<string>();
  const why = new Map<string, string>();
  return {
    is: (scope: string) => following.has(scope),
    whyNot: (scope: string) => why.get(scope),
    tell(told: Told) {
      const { scope, kind } = told;
      if (begins.includes(kind)) following.add(scope);
      if (breaksOff.includes(kind)) following.delete(scope);
      if (kind === 'waiting') why.set(scope, told.why);
      if (kind === 'failed') why.set(scope, String(told.cause));
      if (!usual.includes(kind)) story.push(lineOf(told, time.now()));
    },
  };
}

const begins: readonly Told['kind'][] = ['watching', 'absent'];
const breaksOff: readonly Told['kind'][] = ['begun', 'listing', 'failed'];
const usual: readonly Told['kind'][] = ['begun', 'heard', 'looked', 'committed', 'forbidden'];

/** `2030-01-01T00:02:00.000Z configmaps: watch-ended, idle` */
function lineOf({ kind, scope, ...more }: Told, nowMs: number): string {
  const said = Object.values(more).filter((each) => each !== '');
  return `${new Date(nowMs).toISOString()} ${scope}: ${[kind, ...said].join(', ')}`;
}
