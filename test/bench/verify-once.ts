import { paths } from '#shared/domain/installation.ts';
import { atLeast, atMost, type Bench, type Numbers, type Report, say } from './support/bench.ts';
import { inTurns } from './support/contest.ts';
import type { Job, Outcome } from './support/load.ts';
import type { Served } from './support/server.ts';
import { percentile, ratios, spreadOf } from './support/statistics.ts';
import { bare, openWorkshop, poolMarkers } from './support/subjects.ts';
import { startWorker } from './support/worker.ts';
import { originalWay } from './verify-once/original.ts';
import { openPublisher, type Publisher } from './verify-once/publisher.ts';
import { startReplicas } from './verify-once/replicas.ts';
import { openLane, reviewOf } from './verify-once/reviews.ts';

const path = paths.alone('mutate', 'verify-pod');
/** What stands in the patch of a pod all of whose images are trusted. */
const marker = 'success';
const lanesPerReplica = 16;

export const bench: Bench = {
  about: 'pods of eight images over three replicas: verified once, and how fast that is',
  options: { pods: 1_000, containers: 8, digests: 20, delay: 100, rounds: 9, seconds: 2 },
  run,
};

async function run(options: Numbers): Promise<Report> {
  const { digests = 0, delay = 0, containers = 0 } = options;
  const workshop = await openWorkshop();
  // Two images more: one that each replica loads its code with, and one on which a single verification is measured.
  const publisher = await openPublisher(digests + 2);
  const replicas = await startReplicas(3, workshop, publisher.host);
  const bareServer = await serveBare(workshop);
  publisher.delay.ms = delay;
  for (const replica of replicas) await verificationOf(publisher.images.at(-1), replica);
  const one = await verificationOf(publisher.images.at(-2), replicas[0]);
  const cold = await coldBurst(replicas, publisher, options);
  const original = await originally(publisher, containers);
  publisher.delay.ms = 0;
  const warm = await warmRounds({ ours: replicas[0], bare: bareServer }, publisher, options);
  return report({ one, cold, original, warm, digests });
}

async function serveBare(workshop: Parameters<typeof bare>[0]): Promise<Served> {
  const { serve } = await import('./support/server.ts');
  return serve(await bare(workshop));
}

async function verificationOf(
  image: string | undefined,
  replica: Served | undefined,
): Promise<number> {
  if (replica === undefined || image === undefined) throw new Error('nothing to measure');
  const lane = await openLane(replica, path, marker);
  const ms = await lane.ask(reviewOf([image]));
  lane.close();
  return ms;
}

type Cold = { readonly p99: number; readonly verifications: number };

/** Pods come from everywhere at once, and no replica has seen any of their images. */
async function coldBurst(
  replicas: readonly Served[],
  publisher: Publisher,
  { pods = 0, containers = 0, digests = 0 }: Numbers,
): Promise<Cold> {
  say(`${pods} pods of ${containers} images, of which there are ${digests}`);
  const before = publisher.verifications();
  const lanes = await Promise.all(
    replicas.flatMap((replica) =>
      Array.from({ length: lanesPerReplica }, () => openLane(replica, path, marker)),
    ),
  );
  const bodies = Array.from({ length: pods }, (_, at) =>
    reviewOf(
      Array.from({ length: containers }, (_, c) => publisher.images[(at + c * 3) % digests] ?? ''),
    ),
  );
  const took: number[] = [];
  await Promise.all(
    lanes.map(async (lane) => {
      for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
        took.push(await lane.ask(body));
      }
      lane.close();
    }),
  );
  const sorted = took.toSorted((a, b) => a - b);
  return { p99: percentile(sorted, 99), verifications: publisher.verifications() - before };
}

async function originally(publisher: Publisher, containers: number): Promise<number> {
  say("the original's way: one after the other, nothing kept");
  const took: number[] = [];
  for (let at = 0; at < 3; at += 1) {
    took.push(await originalWay(publisher.images.slice(0, containers), publisher));
  }
  return percentile(
    took.toSorted((a, b) => a - b),
    99,
  );
}

type Sides = { readonly ours: Served | undefined; readonly bare: Served };

async function warmRounds(
  { ours, bare: yardstick }: Sides,
  { images }: Publisher,
  { rounds = 0, seconds = 0, containers = 0 }: Numbers,
) {
  if (ours === undefined) throw new Error('no replica');
  const loader = startWorker<Job, Outcome>('load.ts');
  const body = reviewOf(images.slice(0, containers));
  const jobs = {
    ours: { peer: ours.peer, path, markers: [marker] },
    bare: { peer: yardstick.peer, path: yardstick.path, markers: poolMarkers },
  };
  const sides = ['ours', 'bare'] as const;
  const measure = async (side: (typeof sides)[number]) => {
    const outcome = await loader.run({
      ...jobs[side],
      body,
      connections: 16,
      requests: 1e6,
      seconds,
    });
    if (outcome.wrong > 0) throw new Error(`${side}: ${outcome.firstWrong}`);
    say(`${side}: ${Math.round(outcome.perSecond)}/s`);
    return outcome;
  };
  await inTurns(2, sides, measure);
  return inTurns(rounds, sides, measure);
}

type Found = {
  readonly one: number;
  readonly cold: Cold;
  readonly original: number;
  readonly warm: Awaited<ReturnType<typeof warmRounds>>;
  readonly digests: number;
};

function report({ one, cold, original, warm, digests }: Found): Report {
  const rate = (side: 'ours' | 'bare') => warm[side].map(({ perSecond }) => perSecond);
  const ratio = spreadOf(ratios(rate('ours'), rate('bare')));
  const p99 = spreadOf(warm.ours.map(({ millis }) => millis.p99));
  const reviews = spreadOf(rate('ours'));
  return {
    bench: 'verify-once',
    figures: {
      verifications: cold.verifications,
      oneVerificationMillis: one,
      coldP99Millis: cold.p99,
      originalWayP99Millis: original,
      reviewsPerSecond: reviews,
      bareReviewsPerSecond: spreadOf(rate('bare')),
      throughputRatio: ratio,
      warmP99Millis: p99,
    },
    bars: [
      atMost('verifications', cold.verifications, digests),
      atLeast('verifications', cold.verifications, digests),
      atMost('cold p99, times one verification', cold.p99 / one, 1.5),
      atLeast('warm throughput, of the bare handler', ratio.median, 0.4),
      atLeast('warm reviews a second', reviews.median, 2_000),
      atMost('warm p99, milliseconds', p99.median, 10),
    ],
  };
}
