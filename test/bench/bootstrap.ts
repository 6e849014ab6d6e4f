import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { youngHeapOfLargePods } from '#infra/deploy/pod.ts';
import { paths } from '#shared/domain/installation.ts';
import type { Job as Look, Looked } from './bootstrap/cluster-process.ts';
import { type CountingProxy, countingProxy } from './bootstrap/counting-proxy.ts';
import { ordinaryReview } from './bootstrap/ordinary.ts';
import { largeReview } from './bootstrap/review.ts';
import { openDatabase } from './chaos/database.ts';
import { serve as serveRole } from './chaos/processes.ts';
import { atLeast, atMost, type Bench, type Numbers, type Report, say } from './support/bench.ts';
import { inTurns } from './support/contest.ts';
import type { Job, Outcome } from './support/load.ts';
import { alsoStop } from './support/processes.ts';
import { buildCommand, writeConfig } from './support/program.ts';
import { usualReplicas } from './support/request.ts';
import { freePort, type Served, serve } from './support/server.ts';
import { ratios, spreadOf } from './support/statistics.ts';
import { bare, openWorkshop, poolMarkers, type Workshop } from './support/subjects.ts';
import { startWorker, type Worker } from './support/worker.ts';

export const bench: Bench = {
  about:
    "five features in a fused review of a 30 KB pod, against a bare node:https handler: pods of one template, on which 0.7 is read, and strangers, each its template's only one, which are held against it as well",
  options: { rounds: 9, seconds: 2, counted: 10 },
  run,
};

const crowded = largeReview();
const ordinary = ordinaryReview();
const nodeFlags = [`--${youngHeapOfLargePods}`];
/**
 * `strangers`: ours, of pods of which each is the first and last of its template. As large is a pod of 25 small containers, which is the
 * worst, or one of four with many variables (`ordinary`).
 */
const sides = ['bare', 'ours', 'strangers', 'bareOrdinary', 'ordinaryStrangers'] as const;
type Side = (typeof sides)[number];
type Round = Outcome & { readonly cpuMicros: number };
type Loader = Worker<Job, Outcome>;
type Cluster = Worker<Look, Looked>;

/** What every right patch holds: each feature's own, and the preference for a pool. */
const ourMarkers = [
  ...['mirror.test:5001/shop/orders', 'registry-credentials', 'rt-bootstrapper-certs'],
  ...['KYMA_FIPS_MODE_ENABLED', 'KYMA_LANDSCAPE', 'cpu-worker-0'],
];
const ordinaryMarkers = ourMarkers.map((marker) => marker.replace('orders', 'api'));
const markers: Readonly<Record<Side, readonly string[]>> = {
  bare: poolMarkers,
  ours: ourMarkers,
  strangers: ourMarkers,
  bareOrdinary: poolMarkers,
  ordinaryStrangers: ordinaryMarkers,
};

async function run({ rounds = 0, seconds = 0, counted = 0 }: Numbers): Promise<Report> {
  const cluster: Cluster = startWorker<Look, Looked>('../bootstrap/cluster-process.ts');
  const workshop = await openWorkshop();
  const ours = await startOurs(workshop, cluster);
  const { server } = ours;
  const plain = await serve(await bare(workshop, nodeFlags));
  const servers = {
    bare: plain,
    ours: server,
    strangers: server,
    bareOrdinary: plain,
    ordinaryStrangers: server,
  };
  const loader: Loader = startWorker<Job, Outcome>('load.ts');
  const measure = async (side: Side, round: number): Promise<Round> => {
    const before = servers[side].cpuSeconds();
    const outcome = checked(side, await loader.run(jobOf(side, servers[side], seconds)));
    const cpuMicros = ((servers[side].cpuSeconds() - before) * 1e6) / outcome.answers;
    say(`round ${round + 1}/${rounds} ${side}: ${Math.round(outcome.perSecond)}/s`);
    return { ...outcome, cpuMicros };
  };
  say('warming up');
  await inTurns(2, sides, measure);
  const asked = await askedWhenWarm({ ...ours, cluster, loader }, counted);
  return report(await inTurns(rounds, sides, measure), asked);
}

function jobOf(side: Side, { peer, path }: Served, seconds: number): Job {
  // As many as an API server keeps open for as many calls at once.
  const load = {
    peer,
    path,
    body: side.includes('rdinary') ? ordinary : crowded,
    markers: markers[side],
    connections: 16,
    requests: 1e6,
    seconds,
  };
  return side.endsWith('trangers') ? { ...load, replicas: 1 } : load;
}

function checked(side: string, outcome: Outcome): Outcome {
  if (outcome.wrong > 0) throw new Error(`${side}: ${outcome.wrong} wrong: ${outcome.firstWrong}`);
  return outcome;
}

type Ours = { readonly server: Served; readonly proxy: CountingProxy };

/** Admission as it is deployed: its facts come from a database that a forwarder fills. */
async function startOurs({ directory, certificate }: Workshop, cluster: Cluster): Promise<Ours> {
  const database = await openDatabase(true);
  alsoStop(database.close);
  const proxy = await countingProxy(database.url);
  const [port, probePort] = [await freePort(), await freePort()];
  const settings = {
    capabilities: ['pod-bootstrap', 'node-affinity'],
    server: { address: '127.0.0.1', port: 0, probePort: 0 },
    certificates: { source: 'files', directory },
    nodeAffinity: { pools: ['cpu-worker-0'], presence: 'assumed' },
    podBootstrap: { landscape: 'NS2' },
  };
  writeConfig(join(directory, 'config.yaml'), settings);
  const server = { ...settings.server, port, probePort };
  const config = writeConfig(join(directory, 'admission.yaml'), { ...settings, server });
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, (await cluster.run({ kind: 'look' })).kubeconfig);
  const program = await buildCommand(directory);
  // Switched off: that a process be told of some is a habit of those who start it.
  const functions = fileURLToPath(new URL('functions/fused', import.meta.url));
  const env = { DATABASE_URL: database.url, GATEHOUSE_CONFIG: '' };
  const given = { directory, functions, program, node: nodeFlags, env };
  const forwarder = await serveRole({ ...given, role: 'forwarder', name: 'forwarder' });
  alsoStop(forwarder.stop);

  const args = ['serve', '--role', 'admission', '--config', config, '--kubeconfig', kubeconfig];
  const { serverName, ca } = certificate;
  const served = await serve({
    ...{ peer: { port, serverName, ca }, path: paths.fusedPods },
    node: [...nodeFlags, program, ...args],
    env: { ...env, DATABASE_URL: proxy.url },
  });
  return { server: served, proxy };
}

type Warm = Ours & { readonly cluster: Cluster; readonly loader: Loader };
type Asked = {
  readonly reviews: number;
  readonly cluster: number;
  readonly database: number;
  readonly idleDatabase: number;
  readonly idleCluster: number;
};

/** A second has its heartbeat in any case: what a second without reviews asks is no review's. */
async function askedWhenWarm(warm: Warm, seconds: number): Promise<Asked> {
  const before = await counts(warm);
  await after(seconds * 1_000);
  const idle = await counts(warm);
  const outcome = checked('ours', await warm.loader.run(jobOf('ours', warm.server, seconds)));
  const busy = await counts(warm);
  return {
    reviews: outcome.answers,
    cluster: busy.cluster - idle.cluster,
    database: busy.database - idle.database,
    idleCluster: idle.cluster - before.cluster,
    idleDatabase: idle.database - before.database,
  };
}

async function counts({ cluster, proxy }: Warm) {
  return { cluster: (await cluster.run({ kind: 'look' })).requests, database: proxy.asked() };
}

/** Of the throughput of the handler that parses and answers a constant patch. */
const floor = 0.7;

function report(found: Readonly<Record<Side, readonly Round[]>>, asked: Asked): Report {
  const rates = (side: Side) => found[side].map(({ perSecond }) => perSecond);
  const ratioOf = (side: Side, bareSide: Side) => spreadOf(ratios(rates(side), rates(bareSide)));
  const ratio = ratioOf('ours', 'bare');
  const ratioOfStrangers = ratioOf('strangers', 'bare');
  const ratioOfOrdinary = ratioOf('ordinaryStrangers', 'bareOrdinary');
  /** More than the heartbeats of as long a time: two of them may fall on the edges. */
  const surplus = (busy: number, idle: number) => Math.max(0, busy - idle - 4) / asked.reviews;
  return {
    bench: 'bootstrap',
    figures: {
      reviewBytes: Buffer.byteLength(crowded),
      podsOfATemplate: usualReplicas,
      bareReviewsPerSecond: spreadOf(rates('bare')),
      reviewsPerSecond: spreadOf(rates('ours')),
      reviewsPerSecondOfStrangers: spreadOf(rates('strangers')),
      reviewsPerSecondOfOrdinaryStrangers: spreadOf(rates('ordinaryStrangers')),
      throughputRatio: ratio,
      throughputRatioOfStrangers: ratioOfStrangers,
      throughputRatioOfOrdinaryStrangers: ratioOfOrdinary,
      ...cpuOf(found),
      loadGeneratorBusy: spreadOf(found.bare.map(({ busy }) => busy)),
      reviewsCounted: asked.reviews,
      apiCallsMeanwhile: asked.cluster,
      apiCallsInAsLongWithoutReviews: asked.idleCluster,
      databaseSendsMeanwhile: asked.database,
      databaseSendsInAsLongWithoutReviews: asked.idleDatabase,
    },
    bars: [
      // One floor whichever pods come: that some of them miss it is no secret.
      atLeast(
        `throughput of ${usualReplicas} pods a template, of the bare handler`,
        ratio.median,
        floor,
      ),
      atLeast('throughput of strangers, of the bare handler', ratioOfStrangers.median, floor),
      atLeast(
        'throughput of ordinary strangers, of the bare handler',
        ratioOfOrdinary.median,
        floor,
      ),
      atMost('API calls a review', surplus(asked.cluster, asked.idleCluster), 0),
      atMost('database queries a review', surplus(asked.database, asked.idleDatabase), 0),
    ],
  };
}

function cpuOf(found: Readonly<Record<Side, readonly Round[]>>) {
  const cpu = (side: Side) => spreadOf(found[side].map(({ cpuMicros }) => cpuMicros));
  return {
    bareCpuMicrosPerReview: cpu('bare'),
    cpuMicrosPerReview: cpu('ours'),
    cpuMicrosPerReviewOfStrangers: cpu('strangers'),
    bareCpuMicrosPerOrdinaryReview: cpu('bareOrdinary'),
    cpuMicrosPerReviewOfOrdinaryStrangers: cpu('ordinaryStrangers'),
  };
}
