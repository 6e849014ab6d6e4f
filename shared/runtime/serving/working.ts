import { membersOf } from '#shared/adapters/database/members.ts';
import type { Database } from '#shared/adapters/database/open.ts';
import { lineOf } from '../worker/line.ts';
import { measureDepth, openWorkerMeter } from '../worker/meter.ts';
import type { Queueing } from '../worker/queueing.ts';
import type { Tail } from '../worker/tail.ts';
import { startWorker, type WorkerOptions } from '../worker/worker.ts';
import type { Worked } from '../worker/working.ts';
import type { House } from './house.ts';
import { onEachChange } from './on-change.ts';
import { outagesOf } from './outages-of.ts';
import { enabledReconcilers } from './reconciling.ts';
import { openRunner } from './runner.ts';
import type { Station } from './station.ts';

/** What messages are worked on with. */
export type Ground = {
  readonly database: Database;
  readonly queueing: Queueing;
  readonly tail: Tail;
  /** How much was due when we came. */
  readonly due: Promise<number>;
  /** For what is due, at once. */
  readonly look: () => void;
};

export type Working = Station & {
  /** Something was run. */
  readonly hasWorked: Promise<void>;
};

/** The worker: runs what messages wake. */
export function startWorking(house: House, ground: Ground): Working {
  const { config, metrics } = house;
  const { graceSeconds } = config.current().worker;
  warnOfStrangers(house);
  const { queue } = ground.queueing;
  const outages = outagesOf(house, 'queue');
  const worker = startWorker({ ...optionsFrom(house, ground), outages, told });
  const { promise: hasWorked, resolve: ran } = Promise.withResolvers<void>();
  const meter = openWorkerMeter(metrics.registry, worker.inFlight);
  measureDepth(metrics.registry, queue);

  function told(worked: Worked): void {
    ran();
    meter.worked(worked);
    if (ground.tail.isWatched()) ground.tail.happened(lineOf(worked, new Date()));
  }
  const stopped = new AbortController();
  const act = async () => worker.refresh();
  const following = onEachChange({ config, act, signal: stopped.signal });
  return {
    name: 'worker',
    hasWorked,
    isReady: () => !outages.isAway(),
    async stop() {
      stopped.abort();
      await Promise.all([following, worker.stop(graceSeconds * 1_000)]);
    },
  };
}

/** A name that is spelled wrongly would leave the function to run here. */
function warnOfStrangers({ registry, config, log }: House): void {
  const known = registry.definitions.map(({ name }) => name);
  const { services } = config.current().worker;
  const functions = Object.keys(services).filter((name) => !known.includes(name));
  if (functions.length > 0) log.warn({ functions }, 'worker.services names unknown functions');
}

/** At 500 events a second a claim and its settling cost more than the run between them: so they are half as many. */
export const restMs = 5;

function optionsFrom(
  house: House,
  { database, queueing }: Ground,
): Omit<WorkerOptions, 'outages' | 'told'> {
  const { groups, visibilitySeconds } = house.config.current().worker;
  return {
    queue: queueing.queue,
    schedule: queueing.schedule,
    run: openRunner(house),
    members: (set, max) => membersOf(database.sql, set, max),
    functions: () => enabledReconcilers(house),
    groups,
    restMs,
    visibilityMs: visibilitySeconds * 1_000,
    random: Math.random,
    log: house.log,
  };
}
