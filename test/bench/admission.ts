import {
  atLeast,
  atMost,
  type Bench,
  below,
  type Numbers,
  type Report,
  say,
} from './support/bench.ts';
import { inTurns } from './support/contest.ts';
import type { Job, Outcome } from './support/load.ts';
import { usualReplicas } from './support/request.ts';
import { podReview } from './support/review.ts';
import { type Served, serve } from './support/server.ts';
import { median, ratios, spreadOf } from './support/statistics.ts';
import { bare, bundled, openWorkshop, poolMarkers } from './support/subjects.ts';
import { startWorker, type Worker } from './support/worker.ts';

const body = podReview();
/** `strangers`: ours, of pods of which each is the first and last of its template. */
const sides = ['bare', 'ours', 'strangers', 'cel'] as const;
type Side = (typeof sides)[number];
type Sides = Readonly<Record<Side, Served>>;
/** As many as an API server keeps open for as many calls at once. */
const connections = 16;
const mebibyte = 2 ** 20;

export const bench: Bench = {
  about: 'node affinity on a 4.6 KB review, against a bare node:https handler',
  options: { rounds: 11, seconds: 2, 'latency-rounds': 9, 'latency-seconds': 4, reviews: 100_000 },
  run,
};

async function run(options: Numbers): Promise<Report> {
  const workshop = await openWorkshop();
  const ours = await serve(await bundled('prefer-pool', workshop));
  const servers: Sides = {
    bare: await serve(await bare(workshop)),
    ours,
    strangers: ours,
    cel: await serve(await bundled('prefer-pool-when', workshop)),
  };
  const loader = startWorker<Job, Outcome>('load.ts');
  const speed = await throughput(servers, loader, options);
  const memory = await memoryAfter(servers, loader, options['reviews'] ?? 0);
  const latency = await latencyAt(500, servers, loader, options);
  return report(speed, latency, memory);
}

type Loader = Worker<Job, Outcome>;
type Round = { readonly outcome: Outcome; readonly cpuMicros: number };

function job({ peer, path }: Served, requests: number, seconds: number) {
  return { peer, path, body, markers: poolMarkers, connections, requests, seconds };
}

async function throughput(servers: Sides, loader: Loader, options: Numbers) {
  const { rounds = 0, seconds = 0 } = options;
  say('warming up');
  const flood = (side: Side) => ({
    ...job(servers[side], 1e6, seconds),
    replicas: side === 'strangers' ? 1 : usualReplicas,
  });
  await inTurns(2, sides, (side) => loader.run(flood(side)));
  return inTurns(rounds, sides, async (side, round): Promise<Round> => {
    const server = servers[side];
    const cpuBefore = server.cpuSeconds();
    const outcome = await loader.run(flood(side));
    const cpuMicros = ((server.cpuSeconds() - cpuBefore) * 1e6) / outcome.answers;
    say(`round ${round + 1}/${rounds} ${side}: ${Math.round(outcome.perSecond)}/s`);
    return { outcome: checked(side, outcome), cpuMicros };
  });
}

async function memoryAfter(servers: Sides, loader: Loader, reviews: number) {
  say(`memory after ${reviews} more reviews`);
  checked('ours', await loader.run(job(servers.ours, reviews, 600)));
  checked('bare', await loader.run(job(servers.bare, reviews, 600)));
  return { ours: servers.ours.memory(), bare: servers.bare.memory() };
}

async function latencyAt(perSecond: number, servers: Sides, loader: Loader, options: Numbers) {
  const { 'latency-rounds': rounds = 0, 'latency-seconds': seconds = 0 } = options;
  say(`latency at ${perSecond}/s`);
  const paced = (server: Served) => ({ ...job(server, perSecond * seconds, 60), perSecond });
  return inTurns(rounds, ['bare', 'ours'] as const, async (side) =>
    checked(side, await loader.run(paced(servers[side]))),
  );
}

/** A wrong answer is no slower answer: there is nothing to measure then. */
function checked(side: string, outcome: Outcome): Outcome {
  if (outcome.wrong > 0) throw new Error(`${side}: ${outcome.wrong} wrong: ${outcome.firstWrong}`);
  return outcome;
}

type Speed = Awaited<ReturnType<typeof throughput>>;
type Latency = Awaited<ReturnType<typeof latencyAt>>;
type Memory = Awaited<ReturnType<typeof memoryAfter>>;

function report(speed: Speed, latency: Latency, memory: Memory): Report {
  const rates = (side: Side) => speed[side].map(({ outcome }) => outcome.perSecond);
  const cpu = (side: Side) => speed[side].map(({ cpuMicros }) => cpuMicros);
  const busy = speed.bare.map(({ outcome }) => outcome.busy);
  const tail = (side: 'bare' | 'ours') => latency[side].map(({ millis }) => millis.p99);
  const throughputRatio = spreadOf(ratios(rates('ours'), rates('bare')));
  const tailRatio = spreadOf(ratios(tail('ours'), tail('bare')));
  return {
    bench: 'admission',
    figures: {
      reviewBytes: Buffer.byteLength(body),
      podsOfATemplate: usualReplicas,
      bareReviewsPerSecond: spreadOf(rates('bare')),
      reviewsPerSecond: spreadOf(rates('ours')),
      reviewsPerSecondOfStrangers: spreadOf(rates('strangers')),
      reviewsPerSecondWithCel: spreadOf(rates('cel')),
      throughputRatio,
      throughputRatioOfStrangers: spreadOf(ratios(rates('strangers'), rates('bare'))),
      throughputRatioWithCel: spreadOf(ratios(rates('cel'), rates('bare'))),
      bareCpuMicrosPerReview: spreadOf(cpu('bare')),
      cpuMicrosPerReview: spreadOf(cpu('ours')),
      cpuMicrosPerReviewOfStrangers: spreadOf(cpu('strangers')),
      loadGeneratorBusy: spreadOf(busy),
      bareP50MillisAt500: spreadOf(latency.bare.map(({ millis }) => millis.p50)),
      p50MillisAt500: spreadOf(latency.ours.map(({ millis }) => millis.p50)),
      bareP99MillisAt500: spreadOf(tail('bare')),
      p99MillisAt500: spreadOf(tail('ours')),
      p99Ratio: tailRatio,
      bareRssMebibytes: memory.bare.now / mebibyte,
      rssMebibytes: memory.ours.now / mebibyte,
      rssHighestMebibytes: memory.ours.highest / mebibyte,
    },
    bars: [
      atLeast('throughput, of the bare handler', throughputRatio.median, 0.85),
      atMost('p99 at 500/s, times the bare handler', tailRatio.median, 2),
      below('p99 at 500/s, milliseconds', median(tail('ours')), 5),
      atMost('resident memory after 100,000 reviews, MiB', memory.ours.now / mebibyte, 128),
    ],
  };
}
