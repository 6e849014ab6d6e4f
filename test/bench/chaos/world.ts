import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import {
  type FakeCluster,
  type FakeClusterOptions,
  fakeCluster,
} from '#infra/emulator/cluster/fake-cluster.ts';
import { customKinds } from '#infra/emulator/cluster/served-kinds.ts';
import { type Checker, openChecker } from './checker.ts';
import { type MortalDatabase, openDatabase } from './database.ts';
import { type Served, type Serving, serve } from './processes.ts';
import { type Rule, rules } from './rules.ts';
import { openRuns } from './runs.ts';
import { type Crowd, diceOf, type Traffic, trafficOn } from './traffic.ts';
import { openWay, type Way } from './way.ts';
import { widgets } from './widgets.ts';

/** How long what is broken stays so. */
export type Waits = {
  readonly leaseMs: number;
  readonly idleMs: number;
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
  readonly workers: number;
  /** Another program than the sources. */
  readonly program?: string;
  /** Another API server than the fake one. */
  readonly openCluster?: (options: FakeClusterOptions) => Promise<FakeCluster>;
};

/** What a fault of the API server needs, and whoever is put to it. */
export type Site = {
  readonly waits: Waits;
  readonly cluster: FakeCluster;
  readonly traffic: Traffic;
  readonly checker: Checker;
  /** Takes over what the ledger and the runs say by now. */
  drain(): void;
};

export type World = Site & {
  readonly database: MortalDatabase;
  readonly way: Way;
  readonly forwarders: [Served, Served];
  readonly workers: Served[];
  start(role: Serving['role'], name: string): Promise<Served>;
  close(): Promise<void>;
};

export async function openWorld(stage: Stage): Promise<World> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-chaos-'));
  const { openCluster = fakeCluster } = stage;
  const [database, cluster] = await Promise.all([
    openDatabase(stage.isDurable),
    openCluster({ historySize: 100_000, bookmarkMs: stage.waits.idleMs / 3 }),
  ]);
  const way = await openWay(database.port);
  await furnish(directory, cluster, stage.waits);
  const runsFile = join(directory, 'runs');
  const { close: closeRuns, ...site } = siteOn(cluster, { ...stage, runsFile, rules });
  const url = Object.assign(new URL(database.url), { port: `${way.port}` }).href;
  const env = { DATABASE_URL: url, CHAOS_RUNS: runsFile, GATEHOUSE_CONFIG: '' };
  const start: World['start'] = (role, name) =>
    serve({
      role,
      name,
      directory,
      functions,
      env: { ...env, POD_NAME: name },
      ...programOf(stage),
    });

  const [first, second, ...workers] = await Promise.all([
    start('forwarder', 'forwarder-a'),
    start('forwarder', 'forwarder-b'),
    ...Array.from({ length: stage.workers }, (_, at) => start('worker', `worker-${at}`)),
  ]);
  const world: World = {
    ...{ ...site, database, way, start },
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
export function siteOn(cluster: FakeCluster, { crowd, seed, waits, runsFile, rules }: Siting) {
  serveWidgets(cluster);
  const traffic = trafficOn(cluster, crowd, diceOf(seed));
  const checker = openChecker(rules);
  const runs = openRuns(runsFile);
  let forgottenAt = performance.now();
  return {
    ...{ cluster, traffic, checker, waits, close: runs.close },
    drain() {
      // What the runs have read is in the ledger by the time that it is read after them.
      const ran = runs.read();
      checker.entries(cluster.ledger.entries());
      cluster.ledger.forget();
      checker.runs(ran);
      if (performance.now() < forgottenAt + rememberedMs) return;
      forgottenAt = performance.now();
      checker.forget(wallMs() - rememberedMs);
    },
  };
}

/** Longer than anything is away in a long run. */
const rememberedMs = 120_000;

const functions = join(import.meta.dirname, '../functions/chaos');

function programOf({ program }: Stage) {
  return program === undefined ? {} : { program };
}

/** JSON is YAML. */
async function furnish(directory: string, cluster: FakeCluster, waits: Waits): Promise<void> {
  const { leaseMs, idleMs, visibilitySeconds } = waits;
  const moment = { firstBackoffMs: 20, maxBackoffMs: 500, absentMs: 100, restoredMs: 1_000 };
  const settings = {
    capabilities: ['chaos'],
    server: { address: '127.0.0.1', port: 0, probePort: 0 },
    // Mounted ones: no function of ours writes to the cluster.
    certificates: { source: 'files', directory },
    forwarder: { leaseMs, idleMs, ...moment },
    worker: { visibilitySeconds, graceSeconds: 2 },
  };
  await writeFile(join(directory, 'config.yaml'), JSON.stringify(settings));
  await writeFile(join(directory, 'kubeconfig'), cluster.kubeconfig);
}

/** The kind that comes and goes. */
export function serveWidgets({ objects }: FakeCluster): void {
  const { group, version, kind, resource: plural } = widgets;
  objects.create(customKinds1, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: version, served: true, storage: true }],
    },
  });
}

export function withdrawWidgets({ objects }: FakeCluster): void {
  objects.delete(customKinds1, { name: `${widgets.resource}.${widgets.group}` });
}

const { group, resource, kind } = customKinds;
const customKinds1 = { group, resource, kind, version: 'v1', namespaced: false };

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
