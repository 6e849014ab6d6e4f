import { setTimeout as after } from 'node:timers/promises';
import { countedBy } from './counted.ts';
import { noticed, seenAll, sinceNoticed } from './noticed.ts';
import { ofOperators } from './operator-faults.ts';
import type { Served } from './processes.ts';
import { asleep, rollOut } from './roll-out.ts';
import { besideASleeper } from './sleeper.ts';
import { serveWidgets, withdrawWidgets } from './widgets.ts';
import { type Site, type Troupe, type World, wallMs } from './world.ts';

export type Fault<On = World> = {
  readonly name: string;
  /** What has to come about before anything breaks. Up to when everything had been seen by then. */
  before?(on: On): Promise<number>;
  /** From its first moment on something is broken. */
  act(on: On, seenUpTo: number): Promise<void>;
};

/** Of all watches the past is gone; what began and ended meanwhile nobody can know. */
function gone(shape: 'status' | 'event' | 'empty'): Fault<Site> {
  return {
    name: `410 as ${shape}`,
    before: sinceNoticed,
    async act(site, seenUpTo) {
      const { cluster, checker, waits } = site;
      const admit = cluster.faults.refuse({ verb: 'watch' }, { code: 503 });
      cluster.faults.cutWatches();
      await after(waits.momentMs);
      // In another shape the next refusal would heal whoever understands only that one.
      cluster.past.compact(undefined, shape);
      admit();
      await noticed(site);
      checker.gap(seenUpTo, wallMs());
    },
  };
}

/** The library's informer is put to these as well. */
export const ofServer: readonly Fault<Site>[] = [
  gone('status'),
  gone('event'),
  gone('empty'),
  {
    name: 'watches cut inside of a line',
    async act({ cluster, waits }) {
      cluster.faults.cutInLine();
      await after(waits.momentMs);
    },
  },
  {
    name: 'watches reset, and ended in good order',
    async act({ cluster, waits }) {
      cluster.faults.cutWatches();
      await after(waits.momentMs);
      cluster.faults.dropWatches();
    },
  },
  {
    // All is written to while they hear of what was before: they are behind, and are ended.
    name: 'slow watches in tiny chunks, of which a server keeps little',
    // Whoever is still away from the fault before would not be met.
    before: noticed,
    async act({ cluster, traffic, waits }) {
      cluster.faults.slow({ bytes: 97, everyMs: 1, mostBehind: 20 });
      for (let turn = 0; turn < 2; turn += 1) {
        traffic.touchAll();
        await after(waits.momentMs);
      }
      cluster.faults.slow(undefined);
    },
  },
  {
    name: 'a server that restarts and knows no past',
    before: sinceNoticed,
    async act(site, seenUpTo) {
      site.cluster.past.restart();
      await noticed(site);
      site.checker.gap(seenUpTo, wallMs());
    },
  },
  {
    name: '429, 401, 500 and a lagging replica',
    async act({ cluster: { faults }, waits }) {
      const times = 2;
      faults.refuse({ verb: 'watch', times }, { code: 429, retryAfter: 0 });
      faults.refuse({ verb: 'watch', times }, { code: 401, reason: 'Unauthorized' });
      faults.refuse({ verb: 'watch', times }, { code: 500 });
      faults.lag({ verb: 'watch', times });
      faults.cutWatches();
      await after(waits.momentMs);
    },
  },
  {
    name: 'a custom resource that goes and comes',
    async before(site) {
      site.traffic.withWidgets(false);
      await seenAll(site, 'widgets.chaos.example');
      return wallMs();
    },
    async act(site, seenUpTo) {
      const { cluster, traffic, checker, waits } = site;
      withdrawWidgets(cluster);
      await after(waits.momentMs);
      serveWidgets(cluster);
      // Whoever defines a kind waits until it is established.
      await after(waits.momentMs);
      traffic.withWidgets(true);
      // Until the first list of those that are new.
      await noticed(site);
      checker.gap(seenUpTo, wallMs());
    },
  },
  {
    // The last one: nothing that comes after it cuts them.
    name: 'half-open watches',
    async act({ cluster, waits }) {
      cluster.faults.halfOpen();
      await after(waits.idleMs * 1.5);
    },
  },
];

export const ofDatabase: readonly Fault<Troupe>[] = [
  {
    name: 'a stalled database',
    async act({ way, waits }) {
      way.stall();
      await after(waits.awayMs / 2);
      way.mend();
    },
  },
  {
    name: 'a database that is away',
    async act({ way, waits }) {
      way.cut();
      await after(waits.awayMs);
      way.mend();
    },
  },
  {
    name: 'a Postgres that restarts',
    act: ({ database }) => database.restart(),
  },
  {
    name: 'a Postgres that is killed',
    async act({ database, waits }) {
      await database.kill();
      await after(waits.momentMs);
      await database.start();
    },
  },
];

export const ofProcesses: readonly Fault<Troupe>[] = [
  {
    name: 'a worker that is killed',
    act: (world) => killed(world.workers, 0, world),
  },
  {
    name: 'a forwarder that is killed',
    async act(world) {
      world.counted.push(await countedBy(world.forwarders[0]));
      await killed(world.forwarders, 0, world);
    },
  },
  {
    name: 'a forwarder that sleeps beyond its lease',
    async act({ forwarders: [first, second], waits }) {
      // Whichever of them writes what.
      await asleep([first], waits);
      await asleep([second], waits);
    },
  },
  rollOut,
];

async function killed(of: Served[], at: number, troupe: Troupe): Promise<void> {
  const old = of[at];
  if (old === undefined) return;
  await old.kill();
  const role = old.name.startsWith('worker') ? 'worker' : 'forwarder';
  of[at] = await troupe.start(role, old.name, troupe.configuration);
}

/** Too long for a short run: there it is made beside others. */
export const slowFaults: readonly Fault[] = [
  {
    name: 'a worker that sleeps until others have its messages',
    async act({ workers: [worker], waits }) {
      worker?.pause();
      await after(waits.visibilitySeconds * 1_500);
      worker?.resume();
    },
  },
];

/** The same in no more time: servers' faults are nothing to a worker. */
export const shortFaults: readonly Fault[] = [
  ...ofDatabase,
  ...ofOperators,
  ...ofProcesses,
  ...besideASleeper(ofServer),
];

/** What a fault leaves behind for seconds (retries, messages of the dead) passes while the next ones are made. */
export const faults: readonly Fault[] = [
  ...ofDatabase,
  ...ofOperators,
  ...ofProcesses,
  ...ofServer,
];
