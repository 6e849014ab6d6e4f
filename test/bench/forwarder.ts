import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { type FakeCluster, fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { countedBy } from './chaos/counted.ts';
import { type MortalDatabase, openDatabase } from './chaos/database.ts';
import { openRuns } from './chaos/runs.ts';
import { listsOf, startOurs, untilAudited, untilMirrored } from './forwarder/gatehouse.ts';
import { kinds } from './forwarder/kinds.ts';
import { type Latency, latencyOf, type Measured, type Rate } from './forwarder/latency.ts';
import { type Resident, residentOf } from './forwarder/memory.ts';
import { fill, type Placed } from './forwarder/objects.ts';
import { type Reconnected, reconnected, watchesEnded } from './forwarder/reconnect.ts';
import { atLeast, atMost, type Bench, type Numbers, type Report, say } from './support/bench.ts';
import { bundleYardstick } from './support/bundle.ts';
import { packagedMajor } from './support/postgres.ts';
import { alsoStop } from './support/processes.ts';
import { buildCommand } from './support/program.ts';
import { spreadOf } from './support/statistics.ts';
import { nodeFlags, openFolder } from './support/subjects.ts';
import { startInformers } from './yardsticks/informers.ts';

export const bench: Bench = {
  about: 'ten kinds followed into Postgres, beside the informers of @kubernetes/client-node',
  options: {
    objects: 50_000,
    rounds: 3,
    seconds: 6,
    calm: 500,
    busy: 2_000,
    postgres: packagedMajor,
  },
  run,
};

type Place = {
  readonly directory: string;
  readonly cluster: FakeCluster;
  readonly placed: readonly Placed[];
  readonly options: Numbers;
};

async function run(options: Numbers): Promise<Report> {
  const directory = openFolder();
  // An audit takes its steps with what a watch says: a cluster that is written to has always something to say.
  const cluster = await fakeCluster({ historySize: 50_000, bookmarkMs: 1_000 });
  alsoStop(cluster.close);
  const placed = fill(cluster, options['objects'] ?? 0);
  say(`the cluster has ${placed.length} objects of ${kinds.length} kinds`);
  const place = { directory, cluster, placed, options };
  const database = await openDatabase(true, { major: options['postgres'] });
  alsoStop(database.close);
  const ours = await measureOurs(place, database);
  const theirs = await measureTheirs(place);
  const { calm, busy } = ours.latencies;
  return {
    bench: 'forwarder',
    figures: {
      objects: placed.length,
      postgres: options['postgres'] ?? packagedMajor,
      forwarderMebibytes: ours.memory.now,
      forwarderMebibytesAtMost: ours.memory.highest,
      workerMebibytes: ours.worker.now,
      informerMebibytes: theirs.memory.now,
      informerMebibytesAtMost: theirs.memory.highest,
      secondsUntilAllWereRun: ours.seconds,
      versionChecksOfReconnects: ours.reconnects.versionChecks,
      ...named('calm', calm, theirs.latencies.calm),
      ...named('busy', busy, theirs.latencies.busy),
    },
    bars: [
      atMost('resident MiB of the forwarder', ours.memory.highest, 128),
      atLeast('watches that came back', ours.reconnects.cameBack, watchesEnded),
      atMost('lists after reconnects', ours.reconnects.lists + ours.lists, 0),
      atMost(`p99 at ${options['calm']}/s, ms`, p99Of(calm).median, 50),
      atMost(`p99 at ${options['busy']}/s, ms`, p99Of(busy).median, 250),
    ],
  };
}

type Latencies = { readonly calm: readonly Latency[]; readonly busy: readonly Latency[] };

type Ours = {
  readonly memory: Resident;
  readonly worker: Resident;
  readonly seconds: number;
  readonly reconnects: Reconnected;
  /** Whole lists by the forwarder's own count. */
  readonly lists: number;
  readonly latencies: Latencies;
};

async function measureOurs(place: Place, { url }: MortalDatabase): Promise<Ours> {
  const { directory, cluster, placed, options } = place;
  const runsFile = join(directory, 'runs');
  const runs = openRuns(runsFile);
  const began = performance.now();
  const program = await buildCommand(directory);
  const first = await startOurs({ directory, program, cluster, databaseUrl: url, runsFile }, often);
  await untilMirrored(url, placed.length);
  const seconds = (performance.now() - began) / 1_000;
  say(`all is mirrored, and all has been run, after ${seconds.toFixed(1)} s`);
  const { audits } = await countedBy(first.forwarder);
  await untilAudited(first.forwarder, audits + 3 * kinds.length);
  const audited = residentOf(first.forwarder.pid);
  say(`with audits: ${audited.now.toFixed(0)} MiB, at most ${audited.highest.toFixed(0)}`);
  const ours = await first.auditEvery(asDeployed);
  const before = await listsOf(ours.forwarder);
  const reconnects = await reconnected(cluster);
  const lists = (await listsOf(ours.forwarder)) - before;
  say(`reconnects: ${JSON.stringify(reconnects)}`);
  const latencies = await latenciesOf('gatehouse', { cluster, placed, runs }, options);
  const last = residentOf(ours.forwarder.pid);
  const memory = { now: last.now, highest: Math.max(last.highest, audited.highest) };
  const worker = residentOf(ours.worker.pid);
  say(`forwarder: ${memory.now.toFixed(0)} MiB, at most ${memory.highest.toFixed(0)}`);
  await ours.stop();
  runs.close();
  return { memory, worker, seconds, reconnects, lists, latencies };
}

/** While memory is measured: lists of names beside all else that it does. */
const often = 4_000;
/** As they are deployed: one that meets a round of six seconds would be all that its p99 tells. */
const asDeployed = 600_000;

/** When ours have gone: nobody else is told what is written. */
async function measureTheirs({ directory, cluster, placed, options }: Place) {
  const file = join(directory, 'seen');
  const runs = openRuns(file);
  const program = await bundleYardstick('informer', directory);
  const kubeconfig = join(directory, 'kubeconfig');
  const node = nodeFlags;
  const informers = await startInformers({
    program,
    kubeconfig,
    file,
    kinds,
    againMs: 5_000,
    node,
  });
  for (let seen = 0; seen < placed.length; await after(50)) seen += runs.read().length;
  const latencies = await latenciesOf('informers', { cluster, placed, runs }, options);
  const memory = residentOf(informers.pid);
  say(`informers: ${memory.now.toFixed(0)} MiB, at most ${memory.highest.toFixed(0)}`);
  await informers.stop();
  runs.close();
  return { memory, latencies };
}

async function latenciesOf(who: string, measured: Measured, options: Numbers): Promise<Latencies> {
  const { rounds = 0, seconds = 0, calm: slow = 0, busy: fast = 0 } = options;
  const found = { calm: [] as Latency[], busy: [] as Latency[] };
  await latencyOf(measured, { perSecond: slow, seconds: 1 });
  for (let round = 1; round <= rounds; round += 1) {
    const measure = async (rate: Rate) => {
      const latency = await latencyOf(measured, rate);
      const { p50, p99 } = latency;
      const at = `round ${round}/${rounds} ${who} at ${rate.perSecond}/s`;
      say(`${at}: p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms`);
      return latency;
    };
    found.calm.push(await measure({ perSecond: slow, seconds }));
    found.busy.push(await measure({ perSecond: fast, seconds }));
  }
  return found;
}

function p99Of(latencies: readonly Latency[]) {
  return spreadOf(latencies.map(({ p99 }) => p99));
}

function p50Of(latencies: readonly Latency[]) {
  return spreadOf(latencies.map(({ p50 }) => p50));
}

function named(rate: 'calm' | 'busy', ours: readonly Latency[], theirs: readonly Latency[]) {
  return {
    [`${rate}MillisP50`]: p50Of(ours),
    [`${rate}MillisP99`]: p99Of(ours),
    [`${rate}InformerMillisP50`]: p50Of(theirs),
    [`${rate}InformerMillisP99`]: p99Of(theirs),
  };
}
