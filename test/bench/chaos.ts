import { fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { ofServer, slowFaults, faults as usualFaults } from './chaos/faults.ts';
import { openLibrary } from './chaos/library.ts';
import { type Outcome, type Plan, play } from './chaos/play.ts';
import { compareRows, type Rows } from './chaos/rows.ts';
import { openWorld, type Site, type Stage } from './chaos/world.ts';
import { atLeast, atMost, type Bench, type Numbers, type Report, say } from './support/bench.ts';
import { alsoStop } from './support/processes.ts';
import { buildCommand } from './support/program.ts';
import { openFolder } from './support/subjects.ts';

export const bench: Bench = {
  about:
    'a ledger of what happened beside what was run, under faults; and what informers make of it',
  options: { events: 20_000, 'per-second': 400, away: 60_000, seed: 1 },
  run,
};

async function run(options: Numbers): Promise<Report> {
  const { events = 0, 'per-second': perSecond = 0, away: awayMs = 0, seed = 0 } = options;
  const program = await buildCommand(openFolder());
  const stage: Stage = {
    crowd: { pods: 600, others: 150, spaces: 6 },
    waits: { ...waits, awayMs },
    ...{ seed, isDurable: true, workers: 2, program },
  };
  const ours = await playOurs(stage, { perSecond, events, relabelMs: 1_000 });
  const theirs = await playTheirs(stage, { perSecond, events: 0, relabelMs: 1_000 });
  return report(ours, theirs);
}

const waits = {
  ...{ leaseMs: 2_000, idleMs: 3_000, momentMs: 1_000, visibilitySeconds: 5 },
  patienceMs: 120_000,
};

type Asked = Omit<Plan<Site>, 'faults' | 'onFault'>;
type Ours = Outcome & { readonly rows: Rows };

async function playOurs(stage: Stage, asked: Asked): Promise<Ours> {
  const world = await openWorld(stage, fakeCluster);
  alsoStop(() => world.close());
  const faults = [...usualFaults, ...slowFaults];
  const outcome = await play(world, { ...asked, faults, onFault: teller('gatehouse', world) });
  return { ...outcome, rows: await compareRows(world) };
}

/** Each fault of the API server once: its own processes and a database it has not. */
async function playTheirs(stage: Stage, asked: Asked): Promise<Outcome> {
  // It would be waited for in vain, and the longer the more it misses.
  const library = await openLibrary({ ...stage, waits: { ...stage.waits, patienceMs: 15_000 } });
  alsoStop(() => library.close());
  return play(library, { ...asked, faults: ofServer, onFault: teller('informers', library) });
}

function teller(who: string, { checker: { counts } }: Site): (fault: string) => void {
  return (fault) => say(`${who}: ${counts.events} events, ${counts.runs} runs; now: ${fault}`);
}

function report(ours: Ours, theirs: Outcome): Report {
  const { verdict, rows } = ours;
  for (const example of verdict.examples) say(example);
  return {
    bench: 'chaos',
    figures: {
      ...{ events: verdict.events, runs: verdict.runs, faults: ours.faults },
      ...{ duplicates: verdict.duplicates, livedInAGap: verdict.livedInAGap },
      ...{ living: rows.living, settledMillis: ours.settledMs },
      informerEvents: theirs.verdict.events,
      informerHandled: theirs.verdict.runs,
      informerFaults: theirs.faults,
      informerLost: theirs.verdict.lost,
      informerReordered: theirs.verdict.reordered,
      informerMissingDeletes: theirs.verdict.missingDeletes,
      informerDuplicates: theirs.verdict.duplicates,
    },
    bars: [
      atMost('lost', verdict.lost, 0),
      atMost('reordered', verdict.reordered, 0),
      atMost('missing deletes', verdict.missingDeletes, 0),
      atMost('runs of what never was', verdict.strangers, 0),
      atMost('rows that are not the cluster', rows.missing + rows.extra, 0),
      atMost('messages buried', rows.buried, 0),
      // Without them the others would prove nothing.
      atLeast('faults', ours.faults, usualFaults.length + slowFaults.length),
    ],
  };
}
