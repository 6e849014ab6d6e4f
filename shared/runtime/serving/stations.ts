import type { Database } from '#shared/adapters/database/open.ts';
import { tailChannel } from '#shared/adapters/database/tail.ts';
import type { Happening } from '../happening.ts';
import { startClockwork } from '../worker/clockwork.ts';
import { openQueueing, type Queueing, senderFor } from '../worker/queueing.ts';
import { startRelaying } from '../worker/relaying.ts';
import { startTail, type Tail } from '../worker/tail.ts';
import { prepareGround, type Store, sayFailure } from './ground.ts';
import { headStart } from './head-start.ts';
import type { House } from './house.ts';
import { outagesOf } from './outages-of.ts';
import { isQueued, queuedOf, reconcilersOf } from './reconciling.ts';
import { isPart } from './role.ts';
import { startSayingPeriods } from './saying-periods.ts';
import type { Station } from './station.ts';
import { type Ground, startWorking } from './working.ts';

/** All that a process does because of events. It begins by itself, and waits for a database that is away. */
export type Stations = {
  /** Rejects where waiting cannot help: the schema is one that we would misread. */
  readonly opened: Promise<void>;
  /** What is not there yet, or not any more. */
  waitingFor(): readonly string[];
  /** What of these functions waits for its time is due now. */
  hasten(functions: readonly string[]): Promise<void>;
  stop(): Promise<void>;
};

export function openStations(house: House, store: Store): Stations {
  const stopped = new AbortController();
  const stack = new AsyncDisposableStack();
  const stations: Station[] = [];
  let ground: Ground | undefined;
  let isOpen = false;
  const signal = AbortSignal.any([stopped.signal, house.stopped]);
  const open = async (): Promise<void> => {
    try {
      ground = await openAll(house, { store, stack, stations, stopped: signal });
      isOpen = true;
    } catch (cause: unknown) {
      house.conditions.report({ name: 'database', holds: false, why: sayFailure(cause) });
      if (house.role !== 'admission') throw cause;
      // Reviews are answered without it, and by the cluster rather than by tables of which nobody knows what they say.
      await house.wiring.leaveDatabase();
    }
  };
  const opened = open();
  return {
    opened,
    waitingFor: () => [
      ...(isOpen ? [] : ['database']),
      ...stations.filter((each) => !each.isReady()).map(({ name }) => name),
    ],
    async hasten(functions) {
      if (ground === undefined || signal.aborted) return;
      const { queueing, look } = ground;
      for (const name of functions) await queueing.schedule.hasten(name);
      look();
    },
    async stop() {
      stopped.abort();
      await opened.catch(toldToWhoWaits);
      // Before what they stand on is closed.
      await Promise.all(stations.map((each) => each.stop()));
      await stack.disposeAsync();
    },
  };
}

/** `opened` has been handed out, and tells its error there. */
function toldToWhoWaits(): void {}

type Opening = {
  readonly store: Store;
  /** Closed after the stations. */
  readonly stack: AsyncDisposableStack;
  readonly stations: Station[];
  readonly stopped: AbortSignal;
};

async function openAll(house: House, opening: Opening): Promise<Ground | undefined> {
  const { role, log, conditions } = house;
  const { store, stations, stopped } = opening;
  if (!(await prepareGround({ store, conditions, log, stopped }))) return undefined;
  // It only reads, and does so with or without us.
  if (role === 'admission') return undefined;

  const ground = await openGround(house, opening);
  if (ground === undefined) return undefined;
  const working = isPart(role, 'worker') ? startWorking(house, ground) : undefined;
  if (working !== undefined) stations.push(working);
  if (!isPart(role, 'forwarder')) return ground;
  if (working !== undefined) await headStart({ ...working, ...ground, stopped });
  await openForwarding(house, ground, opening);
  return ground;
}

/** `undefined`: told to stop before the database answered. */
async function openGround(
  house: House,
  { store, stack, stopped }: Opening,
): Promise<Ground | undefined> {
  const outages = outagesOf(house, 'queue');
  const database = await house.wiring.database();
  const queueing = await outages.through(() => queueingOn(database, { house, store }), stopped);
  if (queueing === undefined) return undefined;

  stack.defer(() => queueing.close());
  const { cluster } = house.config.current().installation;
  const told = startTail({ channel: tailChannel(database.sql), cluster });
  stack.defer(() => told.stop());
  const tail = house.onlooker === undefined ? told : overheard(told, house.onlooker);
  // The worker's and the forwarder's alike: what is due must move although one of them is away.
  const { schedule } = queueing;
  const clockwork = startClockwork({
    schedule,
    outages: outagesOf(house, 'schedule'),
    random: Math.random,
  });
  stack.defer(() => clockwork.stop());
  // A period that is new is due at once.
  const periods = startSayingPeriods(house, schedule, clockwork.look);
  stack.defer(() => periods.stop());
  const { look, dueAtFirst: due } = clockwork;
  return { database, queueing, tail, due, look };
}

/** By somebody in the process, too, who is always there. */
function overheard(tail: Tail, onlooker: (happening: Happening) => void): Tail {
  return {
    ...tail,
    isWatched: () => true,
    happened(happening) {
      onlooker(happening);
      tail.happened(happening);
    },
  };
}

function queueingOn(
  { sql }: Database,
  { house, store }: { readonly house: House; readonly store: Store },
): Promise<Queueing> {
  return openQueueing({
    choice: house.queue,
    url: store.url,
    sql,
    cluster: house.config.current().installation.cluster,
    functions: reconcilersOf(house)
      .filter((each) => isQueued(each, house))
      .map(({ name }) => name),
    onTrouble: (cause) =>
      house.log.warn({ why: sayFailure(cause) }, 'the queue’s own upkeep failed'),
  });
}

async function openForwarding(
  house: House,
  { database, queueing, tail }: Ground,
  { stations, stack, stopped }: Opening,
): Promise<void> {
  const { relay } = queueing;
  if (relay !== undefined) {
    // It tells of each step: a try may have no end.
    const outages = outagesOf(house, 'relay', 'unwatched');
    const relaying = startRelaying({ relay, log: house.log, vigil: house.vigil, outages });
    stack.defer(() => relaying.stop());
  }
  const { login, log, metrics, config, replica, vigil } = house;
  if (login === undefined) return;
  const registry = queuedOf(house);
  const own = { login, log, metrics, registry, config, replica, vigil };
  const { startForwarding } = await import('../forwarding/start.ts');
  const senderOn = await senderFor(house.queue, config.current().installation.cluster);
  const isQueueElsewhere = house.queue.kind === 'sqs';
  const given = { sql: database.sql, senderOn, tail, isQueueElsewhere };
  const outages = outagesOf(house, 'forwarder');
  const forwarding = await outages.through(() => startForwarding({ ...own, ...given }), stopped);
  if (forwarding !== undefined) stations.push({ name: 'forwarder', ...forwarding });
}
