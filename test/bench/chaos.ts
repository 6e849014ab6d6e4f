import { fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { type Counted, countedByAll } from './chaos/counted.ts';
import { ofDisk } from './chaos/disk-faults.ts';
import { ofServer, slowFaults, faults as usualFaults } from './chaos/faults.ts';
import { inquest } from './chaos/inquest.ts';
import { openLibrary } from './chaos/library.ts';
import { type Outcome, type Plan, play } from './chaos/play.ts';
import { type Rows, rowsAtRest } from './chaos/rows.ts';
import type { Verdict } from './chaos/verdict.ts';
import { runsWithoutRight, type WithoutRight } from './chaos/without-right.ts';
import { openWorld, type Site, type Stage, type World } from './chaos/world.ts';
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
  const ours = await playOurs(stage, { perSecond, events, relabelMs: 1_000, faults });
  const crammed = isRoot ? await playCrammed(stage) : undefined;
  const theirs = await playTheirs(stage, { perSecond, events: 0, relabelMs: 1_000 });
  return report(crammed === undefined ? [ours] : [ours, crammed], theirs);
}

const waits = {
  ...{ leaseMs: 2_000, idleMs: 3_000, auditMs: 10_000, momentMs: 1_000, visibilitySeconds: 5 },
  patienceMs: 120_000,
};

const faults = [...usualFaults, ...slowFaults];
/** Nobody else can fill a disk without filling everybody's. */
const isRoot = process.getuid?.() === 0;

type Asked = Omit<Plan<World>, 'onFault'>;
type Ours = Outcome &
  WithoutRight & { readonly rows: Rows; readonly counted: Counted; readonly asked: number };

async function playOurs(stage: Stage, asked: Asked): Promise<Ours> {
  const world = await openWorld(stage, fakeCluster);
  alsoStop(() => world.close());
  const outcome = await play(world, { ...asked, onFault: teller('gatehouse', world) });
  for (const line of (await inquest(world, outcome.verdict)).split('\n')) if (line) say(line);
  const [rows, counted] = await Promise.all([rowsAtRest(world), countedByAll(world)]);
  const without = await runsWithoutRight(world);
  for (const each of without.together) say(`together: ${JSON.stringify(each)}`);
  return { ...outcome, ...without, rows, counted, asked: asked.faults.length };
}

/** A disk that is soon full is no place for a long run. */
function playCrammed(stage: Stage): Promise<Ours> {
  const crammed = {
    ...{ ...stage, crowd: { pods: 60, others: 20, spaces: 3 }, diskMegabytes: 160 },
    waits: { ...stage.waits, awayMs: 1_000 },
  };
  return playOurs(crammed, { faults: ofDisk, perSecond: 300, events: 0, relabelMs: 1_000 });
}

/** Each fault of the API server once: its own processes and a database it has not. */
async function playTheirs(stage: Stage, asked: Omit<Asked, 'faults'>): Promise<Outcome> {
  // It would be waited for in vain, and the longer the more it misses.
  const library = await openLibrary({ ...stage, waits: { ...stage.waits, patienceMs: 15_000 } });
  alsoStop(() => library.close());
  return play(library, { ...asked, faults: ofServer, onFault: teller('informers', library) });
}

function teller(who: string, { checker: { counts } }: Site): (fault: string) => void {
  return (fault) => say(`${who}: ${counts.events} events, ${counts.runs} runs; now: ${fault}`);
}

function report(ours: readonly Ours[], theirs: Outcome): Report {
  const sum = (of: (each: Ours) => number) => ours.reduce((all, each) => all + of(each), 0);
  const judged = (what: Exclude<keyof Verdict, 'examples'>) => sum(({ verdict }) => verdict[what]);
  return {
    bench: 'chaos',
    figures: {
      events: judged('events'),
      runs: judged('runs'),
      eventsPerSecond: ours[0]?.eventsPerSecond ?? 0,
      faults: sum((each) => each.faults),
      duplicates: judged('duplicates'),
      noNews: judged('noNews'),
      livedInAGap: judged('livedInAGap'),
      lapsedReceipts: sum(({ lapses }) => lapses),
      audits: sum(({ counted }) => counted.audits),
      living: sum(({ rows }) => rows.living),
      settledMillis: Math.max(...ours.map(({ settledMs }) => settledMs)),
      informerEvents: theirs.verdict.events,
      informerHandled: theirs.verdict.runs,
      informerFaults: theirs.faults,
      informerLost: theirs.verdict.lost,
      informerReordered: theirs.verdict.reordered,
      informerMissingDeletes: theirs.verdict.missingDeletes,
      informerDuplicates: theirs.verdict.duplicates,
    },
    bars: [
      atMost('lost', judged('lost'), 0),
      atMost('reordered', judged('reordered'), 0),
      atMost('missing deletes', judged('missingDeletes'), 0),
      atMost(
        'runs at once with valid receipts',
        sum(({ together }) => together.length),
        0,
      ),
      atMost('runs of what never was', judged('strangers'), 0),
      atMost('runs by events that never were', judged('unknownIds'), 0),
      atMost(
        'lost by the forwarders’ own count',
        sum(({ counted }) => counted.lost),
        0,
      ),
      atMost(
        'rows that are not the cluster',
        sum(({ rows }) => rows.missing + rows.extra),
        0,
      ),
      atMost(
        'messages buried',
        sum(({ rows }) => rows.buried),
        0,
      ),
      // Without them the others would prove nothing.
      atLeast(
        'faults',
        sum((each) => each.faults),
        sum(({ asked }) => asked),
      ),
      atLeast(
        'self-audits',
        sum(({ counted }) => counted.audits),
        1,
      ),
    ],
  };
}
