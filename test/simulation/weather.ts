import { followedFrom } from '#events/forwarder/followed.ts';
import { retire } from '#infra/emulator/testing/mirror/rivals.ts';
import type { StoredWatch } from '#infra/emulator/testing/mirror/shelf.ts';
import { scopeName } from '#shared/domain/watched.ts';
import { type Reach, reachOf, subscriptionsOf } from './cast.ts';
import {
  changeCluster,
  changeVersion,
  compact,
  goBack,
  keepAway,
  lag,
  loseKind,
} from './cluster/calamities.ts';
import { endSome } from './cluster/server.ts';
import { writeSomething } from './cluster/writes.ts';
import type { Fault } from './faults.ts';
import { isAhead, isNoticed } from './noticing.ts';
import { roll } from './people/forwarder.ts';

import { redriveAll } from './people/operator.ts';
import { addForwarder, addMover, addWorker, kill, type Processes } from './people/processes.ts';
import type { Process } from './stage.ts';

/** What comes over the world from outside, between two steps. */
type Event = {
  readonly weight: number;
  /** Left out: it belongs to every schedule. */
  readonly fault?: Fault;
  /** `false`: there was nothing that it could happen to. */
  readonly happen: (processes: Processes) => boolean | Promise<boolean>;
};

const cut = { kind: 'cut', why: 'reset' } as const;
const closed = { kind: 'closed' } as const;

const events: readonly Event[] = [
  { weight: 14, happen: writeToCluster },
  { weight: 6, happen: passTime },
  { weight: 2, happen: bookmark },
  { weight: 3, happen: replaceDead },
  { weight: 3, happen: wake },
  { weight: 2, fault: 'forwarder-crashes', happen: (all) => crash(all, forwardersOf(all)) },
  { weight: 1, fault: 'worker-crashes', happen: (all) => crash(all, all.workers) },
  { weight: 1, fault: 'mover-crashes', happen: (all) => crash(all, all.movers) },
  { weight: 2, fault: 'forwarder-sleeps', happen: (all) => putToSleep(forwardersOf(all), all) },
  { weight: 1, fault: 'worker-sleeps', happen: (all) => putToSleep(all.workers, all) },
  { weight: 2, fault: 'set-anew', happen: setAnew },
  { weight: 2, happen: sweepScopes },
  { weight: 1, fault: 'database-away', happen: loseDatabase },
  { weight: 2, fault: 'watch-cut', happen: ({ world: { server } }) => endSome(server, cut) },
  { weight: 1, fault: 'watch-closed', happen: ({ world: { server } }) => endSome(server, closed) },
  { weight: 1, fault: 'watch-half-open', happen: silence },
  { weight: 2, fault: 'compaction', happen: ({ world: { server } }) => compact(server) },
  { weight: 2, fault: 'kept-away', happen: ({ world: { server } }) => keepAway(server) },
  { weight: 1, fault: 'restored', happen: ({ world }) => !isAhead(world) && goBack(world.server) },
  { weight: 0.5, fault: 'other-cluster', happen: ({ world: { server } }) => changeCluster(server) },
  { weight: 1, fault: 'replica-lags', happen: ({ world: { server } }) => lag(server) },
  { weight: 1, fault: 'kind-gone', happen: ({ world: { server } }) => loseKind(server) },
  { weight: 1, fault: 'version-changed', happen: ({ world: { server } }) => changeVersion(server) },
  { weight: 3, fault: 'redriven', happen: ({ world }) => redriveAll(world.database) },
];

/** One of them, by its weight among those that this schedule has. */
export async function blow(processes: Processes): Promise<void> {
  const { dice, server } = processes.world;
  const { faults } = server;
  const possible = events.filter(({ fault }) => fault === undefined || faults.has(fault));
  const all = possible.reduce((sum, { weight }) => sum + weight, 0);
  let left = dice.next() * all;
  const event = possible.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  if (event === undefined || !(await event.happen(processes)) || event.fault === undefined) return;
  faults.count(event.fault);
  processes.world.stage.say(`! ${event.fault}`);
}

/** One write, or several at once, so that messages pile up. */
function writeToCluster({ world }: Processes): boolean {
  const { server, dice, stage } = world;
  if (isNoticed(world)) server.state.ceiling = Number.POSITIVE_INFINITY;
  const count = dice.chance(0.15) ? 5 : 1;
  for (let at = 0; at < count; at += 1) {
    const what = writeSomething(server.state, dice);
    if (what !== undefined) stage.say(`# ${server.state.revision}: ${what}`);
  }
  return true;
}

function passTime({ world: { stage, dice } }: Processes): boolean {
  if (dice.chance(0.5)) return stage.advance();
  stage.pass(dice.pick([100, 1_000, 5_000, 20_000]));
  return true;
}

function bookmark({ world: { server, dice } }: Processes): boolean {
  for (const watch of server.watches) if (dice.chance(0.5)) watch.wantsBookmark = true;
  return true;
}

function silence({ world: { server, dice } }: Processes): boolean {
  const [first, ...others] = [...server.watches].filter(({ isSilent }) => !isSilent);
  if (first === undefined) return false;
  dice.pick([first, ...others]).isSilent = true;
  return true;
}

function forwardersOf({ forwarders }: Processes): readonly Process[] {
  return forwarders.map(({ process }) => process);
}

function someOf(from: readonly Process[], { world }: Processes): Process | undefined {
  const [first, ...others] = from.filter(({ state }) => state === 'running');
  return first && world.dice.pick([first, ...others]);
}

function crash(all: Processes, from: readonly Process[]): boolean {
  const process = someOf(from, all);
  if (process === undefined) return false;
  kill(all.world, process);
  return true;
}

function putToSleep(from: readonly Process[], all: Processes): boolean {
  const process = someOf(from, all);
  if (process === undefined) return false;
  process.state = 'asleep';
  all.world.stage.say(`${process.name} sleeps`);
  return true;
}

function wake(all: Processes): boolean {
  const { world, workers, movers } = all;
  const [first, ...others] = [...forwardersOf(all), ...workers, ...movers].filter(
    ({ state }) => state === 'asleep',
  );
  if (first === undefined) return false;
  const woken = world.dice.pick([first, ...others]);
  woken.state = 'running';
  world.stage.say(`${woken.name} wakes up`);
  return true;
}

export function replaceDead(all: Processes): boolean {
  const { workers, movers } = all;
  if (living(forwardersOf(all)) < 2) addForwarder(all);
  else if (living(workers) < 2) addWorker(all);
  else if (living(movers) < 1) addMover(all);
  else return false;
  return true;
}

function living(processes: readonly Process[]): number {
  return processes.filter(({ state }) => state !== 'dead').length;
}

const mostEditions = 3;

/** A roll-out: one process has the new configuration before the other. */
function setAnew(all: Processes): boolean {
  const { world, cast } = all;
  const behind = all.forwarders.filter(
    ({ process, edition, isSetting }) =>
      process.state === 'running' && !isSetting && edition < cast.edition,
  );
  const [first, ...others] = behind;
  if (first !== undefined) {
    roll(world.dice.pick([first, ...others]), cast, world);
    return true;
  }
  if (cast.edition >= mostEditions) return false;
  all.cast = { ...cast, edition: cast.edition + 1 };
  countReach(reachOf(cast), all);
  all.setAt = world.database.ledger.count;
  return true;
}

const changedReach = {
  all: 'scope-widened',
  blue: 'scope-narrowed',
  split: 'scope-split',
} as const;

function countReach(before: Reach, { world, cast }: Processes): void {
  const now = reachOf(cast);
  if (now !== before) world.server.faults.count(changedReach[now]);
}

/** A replica retires what its own edition does not follow and nobody holds, also what another one will come back to. */
function sweepScopes(all: Processes): boolean {
  const { world, cast } = all;
  const { shelf } = world.database;
  const [first, ...others] = all.forwarders.filter(({ process }) => process.state === 'running');
  if (first === undefined) return false;
  const sweeper = world.dice.pick([first, ...others]);
  const { edition } = sweeper;
  const own = followedFrom(subscriptionsOf({ ...cast, edition: Math.max(edition, 0) }));
  const followed = own.map(({ scope }) => scopeName(scope));
  const isLapsed = ({ scope, isRetired, leaseUntilMs }: StoredWatch) =>
    !isRetired && leaseUntilMs <= world.stage.now() && !followed.includes(scope);
  const lapsed = [...shelf.watches].filter(([, watch]) => isLapsed(watch));
  for (const [key] of lapsed) {
    // Waits for whoever writes there.
    void shelf.locks.take(key).then((give) => {
      const watch = shelf.watches.get(key);
      if (watch !== undefined && isLapsed(watch)) {
        retire(shelf, watch);
        world.stage.say(`! ${watch.scope} is retired`);
      }
      give();
    });
  }
  return lapsed.length > 0;
}

function loseDatabase({ world: { database, stage, dice } }: Processes): boolean {
  database.awayUntil = stage.now() + dice.pick([500, 3_000, 25_000]);
  return true;
}
