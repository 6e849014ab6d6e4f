import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Sql } from 'postgres';
import type { FakeCluster, FakeClusterOptions } from '#infra/emulator/cluster/fake-cluster.ts';
import type { Ledger } from '#infra/emulator/cluster/ledger.ts';
import { type Checker, openChecker } from './checker.ts';
import type { Counted } from './counted.ts';
import { as, type MortalDatabase, openDatabase } from './database.ts';
import { lastWordsOf } from './inquest.ts';
import { type Served, type Serving, serve } from './processes.ts';
import { type Rule, rules } from './rules.ts';
import { monotonicMs, openRuns, type Run } from './runs.ts';
import { type Crowd, diceOf, type Traffic, trafficOn, type Writes } from './traffic.ts';
import { openWay, type Way } from './way.ts';
import { serveWidgets } from './widgets.ts';

/** How long what is broken stays so. */
export type Waits = {
  readonly leaseMs: number;
  readonly idleMs: number;
  /** Between two self-audits of the forwarder. */
  readonly auditMs: number;
  readonly awayMs: number;
  /** Between two faults, and where nothing else is waited for. */
  readonly momentMs: number;
  readonly visibilitySeconds: number;
  /** For what has to come about. */
  readonly patienceMs: number;
};

export type Stage = {
  readonly crowd: Crowd;
  readonly waits: Waits;
  readonly seed: number;
  readonly isDurable: boolean;
  /** Of a disk for the database alone, which only root can make. */
  readonly diskMegabytes?: number;
  readonly workers: number;
  /** Another program than the sources; it may still be being built. */
  readonly program?: string | Promise<string>;
};

/** An API server of which it is known what truly happened. */
export type Standing = {
  /** Its text. */
  readonly kubeconfig: string;
  readonly objects: Writes;
  /** `upTo`: the last version that it knows of, where it hears of them after others. */
  readonly ledger: Ledger & { upTo?(): number };
  close(): Promise<void>;
};

export type Scene = {
  readonly waits: Waits;
  readonly traffic: Traffic;
  readonly checker: Checker;
  /** Takes over what the ledger and the runs say by now. */
  drain(): void;
  /** Until no list is under way, where it can be asked who makes one. */
  followed?(): Promise<void>;
  /** What nobody has run in all that time; ends it, where all of it has to be. */
  overdue?(objects: readonly string[]): never;
};

/** What a fault of the API server needs, and whoever is put to it. */
export type Site<C extends Standing = FakeCluster> = Scene & { readonly cluster: C };

/** `late` has one function more. */
export type Configuration = 'usual' | 'late';

/** Ours, and what a fault of theirs needs. */
export type Troupe = Scene & {
  readonly database: MortalDatabase;
  readonly way: Way;
  readonly forwarders: [Served, Served];
  readonly workers: Served[];
  /** What forwarders had counted that are no more. */
  readonly counted: Counted[];
  /** Of those who serve. */
  configuration: Configuration;
  start(role: Serving['role'], name: string, configuration?: Configuration): Promise<Served>;
  close(): Promise<void>;
};

export type World<C extends Standing = FakeCluster> = Site<C> & Troupe;

export async function openWorld<C extends Standing>(
  stage: Stage,
  openCluster: (options: FakeClusterOptions) => Promise<C>,
): Promise<World<C>> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-chaos-'));
  const [database, cluster, program] = await Promise.all([
    openDatabase(stage.isDurable, stage),
    openCluster({ historySize: 100_000, bookmarkMs: stage.waits.idleMs / 3 }),
    stage.program,
  ]);
  const way = await openWay(database.port);
  await furnish(directory, cluster, stage.waits);
  const functions = { usual, late: await allFunctions(join(directory, 'late')) };
  const runsFile = join(directory, 'runs');
  const { close: closeRuns, ...site } = siteOn(cluster, { ...stage, runsFile, rules });
  const url = Object.assign(new URL(database.url), { port: `${way.port}` }).href;
  const env = { DATABASE_URL: url, CHAOS_RUNS: runsFile, GATEHOUSE_CONFIG: '' };
  const start: World['start'] = (role, name, configuration = 'usual') =>
    serve({
      role,
      name,
      directory,
      functions: functions[configuration],
      env: { ...env, POD_NAME: name },
      ...(program !== undefined && { program, leavesCode: true }),
    });

  const [first, second, ...workers] = await Promise.all([
    start('forwarder', 'forwarder-a'),
    start('forwarder', 'forwarder-b'),
    ...Array.from({ length: stage.workers }, (_, at) => start('worker', `worker-${at}`)),
  ]);
  const world: World<C> = {
    ...{ ...site, database, way, start, counted: [], configuration: 'usual' },
    followed: () => untilFollowed(database.url, stage.waits.patienceMs),
    overdue(objects) {
      const said = [...world.forwarders, ...world.workers].map(lastWordsOf);
      throw new Error([`nobody has run ${objects.join(', ')}`, ...said].join('\n'));
    },
    forwarders: [first, second],
    workers,
    async close() {
      await Promise.all([...world.forwarders, ...world.workers].map((each) => each.kill()));
      way.close();
      closeRuns();
      await Promise.all([cluster.close(), database.close()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
  return world;
}

type Siting = Omit<Stage, 'workers' | 'isDurable'> & {
  readonly runsFile: string;
  readonly rules: Readonly<Record<string, Rule>>;
};

/** Whoever reads the cluster appends what it saw to the file. */
export function siteOn<C extends Standing>(cluster: C, siting: Siting) {
  const { crowd, seed, waits, runsFile, rules } = siting;
  serveWidgets(cluster);
  const traffic = trafficOn(cluster.objects, crowd, diceOf(seed));
  const checker = openChecker(rules);
  const runs = openRuns(runsFile);
  const held: Run[] = [];
  let forgottenAt = performance.now();
  return {
    ...{ cluster, traffic, checker, waits, close: runs.close },
    drain() {
      // What the runs have read is in the ledger by the time that it is read after them.
      held.push(...runs.read());
      checker.entries(cluster.ledger.entries());
      cluster.ledger.forget();
      checker.runs(held.splice(0, knownOf(held, cluster)));
      if (performance.now() < forgottenAt + rememberedMs) return;
      forgottenAt = performance.now();
      checker.forget(wallMs() - rememberedMs);
    },
  };
}

/** How many of them have read nothing that the ledger is still to hear of. */
function knownOf(runs: readonly Run[], { ledger }: Standing): number {
  const upTo = ledger.upTo?.();
  if (upTo === undefined) return runs.length;
  // An end that a list has told names no version that could be waited for.
  const heard = monotonicMs() - hearingMs;
  const at = runs.findIndex(
    ({ state, version, around, endedAt }) =>
      Number(version) > upTo || Number(around) > upTo || (state !== 'living' && endedAt > heard),
  );
  return at === -1 ? runs.length : at;
}

const hearingMs = 250;

/** Longer than anything is away in a long run. */
const rememberedMs = 120_000;

const usual = join(import.meta.dirname, '../functions/chaos');

/** A folder with the late one beside the usual ones: a user's own functions are on where they are found. */
async function allFunctions(folder: string): Promise<string> {
  await mkdir(folder);
  for (const from of [usual, `${usual}-late`]) {
    for (const name of await readdir(from)) {
      const url = JSON.stringify(pathToFileURL(join(from, name)).href);
      await writeFile(join(folder, name), `export { default } from ${url};\n`);
    }
  }
  return folder;
}

/** Of each scope that somebody follows the cursor stands on a watch. A database that is away is asked again. */
async function untilFollowed(url: string, patienceMs: number): Promise<void> {
  const isFollowed = (sql: Sql) => sql<{ is: boolean }[]>`
    select count(*) > 0 and bool_and(position = 'watching') as is from watches where not is_retired`;
  for (const deadline = performance.now() + patienceMs; ; await after(20)) {
    const [answer] = await as(url, isFollowed).catch(() => []);
    if (answer?.is === true) return;
    if (performance.now() > deadline) throw new Error('a list does not come to its end');
  }
}

/** JSON is YAML. */
async function furnish(directory: string, cluster: Standing, waits: Waits): Promise<void> {
  const { leaseMs, idleMs, auditMs, visibilitySeconds } = waits;
  const moment = { firstBackoffMs: 20, maxBackoffMs: 500, absentMs: 100, restoredMs: 1_000 };
  const settings = {
    capabilities: ['chaos'],
    server: { address: '127.0.0.1', port: 0, probePort: 0 },
    // Mounted ones: no function of ours writes to the cluster.
    certificates: { source: 'files', directory },
    forwarder: { leaseMs, idleMs, auditMs, ...moment },
    worker: { visibilitySeconds, graceSeconds: 2 },
  };
  await writeFile(join(directory, 'config.yaml'), JSON.stringify(settings));
  await writeFile(join(directory, 'kubeconfig'), cluster.kubeconfig);
}

/** The ledger's clock. */
export function wallMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Until it holds, or the time is over. */
export async function until(holds: () => boolean, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!holds()) {
    if (performance.now() > deadline) return false;
    await after(10);
  }
  return true;
}
