import { type Cast, periods } from '../cast.ts';
import type { Dice } from '../dice.ts';
import { isOutage } from '../outage.ts';
import type { Process } from '../stage.ts';
import { type ForwarderProcess, startForwarder, type World } from './forwarder.ts';
import { move } from './mover.ts';
import { workAsInProduction } from './production-worker.ts';
import { work } from './worker.ts';

/** All processes that ever lived in a schedule. */
export type Processes = {
  readonly world: World;
  cast: Cast;
  /** The count at which the cast changed last. */
  setAt: number;
  readonly forwarders: ForwarderProcess[];
  readonly workers: Process[];
  readonly movers: Process[];
};

export function startAll(world: World, cast: Cast): Processes {
  const processes: Processes = { world, cast, setAt: 0, forwarders: [], workers: [], movers: [] };
  for (let count = 0; count < 2; count += 1) {
    addForwarder(processes);
    addWorker(processes);
  }
  addMover(processes);
  return processes;
}

export function addForwarder(processes: Processes): void {
  const { world, forwarders, cast } = processes;
  const process = newProcess(`forwarder-${forwarders.length + 1}`, world.dice);
  forwarders.push(startForwarder(world, process, cast));
}

export function addWorker({ world, workers }: Processes): void {
  const { database, dice } = world;
  const by = newProcess(`worker-${workers.length + 1}`, dice);
  workers.push(by);
  // Every other one handles as production does.
  const hand = workers.length % 2 === 0 ? work : workAsInProduction;
  run(world, hand({ by, database, dice }));
  run(world, hand({ by, database, dice }));
}

export function addMover({ world, movers }: Processes): void {
  const by = newProcess(`mover-${movers.length + 1}`, world.dice);
  movers.push(by);
  run(world, move(world.database, by));
}

function newProcess(name: string, dice: Dice): Process {
  return { name, state: 'running', pace: dice.pick([0.1, 0.4, 1, 1]) };
}

/** Whoever lives for ever ends with the schedule, or by a bug. */
function run({ database }: World, living: Promise<void>): void {
  living.catch((cause: unknown) => {
    if (isOutage(cause)) return;
    const how = cause instanceof Error ? cause.stack : String(cause);
    database.ledger.break('quiet', `a worker fails for a reason of its own: ${how}`);
  });
}

/** Its calls never go on, what it had begun is rolled back, and its connections are cut. */
export function kill({ server, database, stage }: World, process: Process): void {
  const isUnheard = stage.waitingFor(process).some((what) => what.startsWith('hears'));
  if (isUnheard) server.faults.count('crash-after-commit');
  process.state = 'dead';
  for (const close of database.connections.get(process) ?? []) close();
  stage.drop(process);
  for (const watch of server.watches) if (watch.by === process) server.watches.delete(watch);
  stage.say(`${process.name} dies`);
}

export function allOf({ forwarders, workers, movers }: Processes): readonly Process[] {
  return [...forwarders.map(({ process }) => process), ...workers, ...movers];
}

export async function arm({ database }: World): Promise<void> {
  await database.schedule.setPeriods(periods);
}
