import { type BugName, bugOf } from './bugs.ts';
import type { Cast, Reach } from './cast.ts';
import type { Server } from './cluster/server.ts';
import { emptyCluster } from './cluster/state.ts';
import { populate } from './cluster/writes.ts';
import { openDatabase } from './database/database.ts';
import { type Dice, diceFrom } from './dice.ts';
import { type Fault, faultsBy } from './faults.ts';
import type { World } from './people/forwarder.ts';
import { arm, type Processes, startAll } from './people/processes.ts';
import { type Calm, calm, sayBookmarks, unrest } from './quiet.ts';
import type { Broken } from './sentence.ts';
import { openStage } from './stage.ts';
import { judgeEnd } from './verdict.ts';
import { blow } from './weather.ts';

export type Asked = {
  readonly seed: number;
  readonly bug?: BugName | undefined;
  /** Writes down what happens: a hundred times slower. */
  readonly isTold?: boolean;
};

export type Outcome = {
  readonly seed: number;
  readonly steps: number;
  readonly broken: Broken | undefined;
  readonly faults: ReadonlyMap<Fault, number>;
  readonly said: readonly string[];
};

const mostSteps = 6_000;
const reaches: readonly [Reach, ...Reach[]] = ['all', 'all', 'blue', 'split'];

/** One schedule, from its seed: the same seed does the same, step by step. */
export async function play({ seed, bug, isTold = false }: Asked): Promise<Outcome> {
  const dice = diceFrom(seed);
  const stage = openStage(dice, isTold);
  const faults = faultsBy(dice);
  const database = openDatabase({ stage, faults, bug: bugOf(bug) });
  const state = emptyCluster();
  populate(state, dice);
  const server: Server = {
    ...{ state, stage, dice, faults, watches: new Set(), asked: new Map() },
    ...{ looking: new Map(), vain: new Map() },
    streams: dice.chance(0.4),
  };
  const world = { stage, dice, server, database };
  await arm(world);
  const all = startAll(world, castFor(world));
  try {
    const stormy = await storm(all, dice);
    const calmed = await calmDown(all, stormy);
    if (database.ledger.broken === undefined) judgeEnd(all);
    const { broken } = database.ledger;
    return { seed, steps: calmed, broken, faults: faults.counts, said: stage.said };
  } finally {
    await end(all);
  }
}

function castFor({ dice, server: { faults } }: World): Cast {
  const isSelected = dice.chance(0.25);
  const [even, odd] = [dice.pick(reaches), dice.pick(reaches)];
  const isWhole = !isSelected && even === 'all' && odd === 'all';
  // What is there again in another history, or of a kind that was gone, was in no set.
  const isOne = !(['restored', 'other-cluster', 'kind-gone'] as const).some(faults.has);
  return { isSelected, isFanned: isWhole && isOne, reaches: [even, odd], edition: 0 };
}

/** How many steps there were. */
async function storm(all: Processes, dice: Dice): Promise<number> {
  const { stage, database } = all.world;
  const most = 50 + dice.below(150);
  for (let steps = 1; ; steps += 1) {
    await stage.settle();
    if (steps > most || database.ledger.broken !== undefined) return steps;
    if (dice.chance(0.15)) await blow(all);
    else if (!stage.step()) stage.advance();
  }
}

async function calmDown(all: Processes, before: number): Promise<number> {
  const { stage, database } = all.world;
  const { ledger } = database;
  calm(all);
  stage.say('! the faults stop');
  const since = { atMs: stage.now(), atCount: ledger.count, bookmarkedAtMs: 0 };
  for (let steps = before; ; steps += 1) {
    await stage.settle();
    if (ledger.broken !== undefined) return steps;
    // Looked at before each step: whoever never pauses leaves no moment in which nobody can go on.
    if (steps > mostSteps) ledger.break('quiet', await restless(all, since, steps));
    else if (!stage.step() && (await isOver(all, since))) return steps;
  }
}

async function restless(all: Processes, since: Calm, steps: number): Promise<string> {
  return `after ${steps} steps ${(await unrest(all, since)) ?? 'somebody goes on'}`;
}

/** Nobody can go on as things are: all is quiet, or time has to pass, or it will never be. */
async function isOver(all: Processes, since: Calm): Promise<boolean> {
  const { stage, database } = all.world;
  const why = await unrest(all, since);
  if (why === undefined) return true;
  sayBookmarks(all, since);
  await stage.settle();
  if (!stage.step() && !stage.advance()) database.ledger.break('quiet', `for ever: ${why}`);
  return false;
}

async function end({ world, forwarders }: Processes): Promise<void> {
  const { stage } = world;
  for (const { forwarder } of forwarders) forwarder.stop().catch(() => {});
  await stage.settle();
  stage.close();
  await stage.settle();
}
