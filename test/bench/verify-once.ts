import { paths } from '#shared/domain/installation.ts';
import { atLeast, atMost, type Bench, type Numbers, type Report, say } from './support/bench.ts';
import { inTurns } from './support/contest.ts';
import type { Job, Outcome } from './support/load.ts';
import { pinSelf } from './support/processes.ts';
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
  options: {
    ...{ pods: 1_000, containers: 8, digests: 20, delay: 100, bursts: 5 },
    ...{ rounds: 9, seconds: 2, rate: 2_000 },
  },
  run,
};

async function run(options: Numbers): Promise<Report> {
  const { digests = 0, delay = 0, containers = 0, bursts = 0 } = options;
  const workshop = await openWorkshop();
  // The servers have the first core; Postgres, the Notary and who asks have the other.
  pinSelf('load');
  // One that each replica loads its code with; then for each burst one that is verified alone, and its own.
  const publisher = await openPublisher(1 + bursts * (1 + digests));
  const replicas = await startReplicas(3, workshop, publisher.host);
  const bareServer = await serveBare(workshop);
  publisher.delay.ms = delay;
  for (const replica of replicas) await verificationOf(publisher.images.at(0), replica);
  const cold: Cold[] = [];
  for (let burst = 0; burst < bursts; burst += 1) {
    const [alone, ...images] = publisher.images.slice(1 + burst * (1 + digests));
    const one = await verificationOf(alone, replicas[0]);
    cold.push({ one, ...(await coldBurst(replicas, { publisher, images }, options)) });
  }
  const original = await originally(publisher, containers);
  publisher.delay.ms = 0;
  const warm = await warmRounds({ ours: replicas[0], bare: bareServer }, publisher, options);
  return report({ cold, original, warm, ...options });
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

type Cold = Burst & {
  /** A single review of a single image that nobody has seen, right before, while nothing else happens. */
  readonly one: number;
};

type Burst = { readonly p99: number; readonly verifications: number };

type Published = { readonly publisher: Publisher; readonly images: readonly string[] };

/** Pods come from everywhere at once, and no replica has seen any of their images. */
async function coldBurst(
  replicas: readonly Served[],
  { publisher, images }: Published,
  { pods = 0, containers = 0, digests = 0 }: Numbers,
): Promise<Burst> {
  say(`${pods} pods of ${containers} images, of which there are ${digests}`);
  const before = publisher.verifications();
  const lanes = await Promise.all(
    replicas.flatMap((replica) =>
      Array.from({ length: lanesPerReplica }, () => openLane(replica, path, marker)),
    ),
  );
  const bodies = Array.from({ length: pods }, (_, at) =>
    reviewOf(Array.from({ length: containers }, (_, c) => images[(at + c * 3) % digests] ?? '')),
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

/** As fast as the answers come, and beside it at the rate that has to be borne: of both, since what holds up one holds up the other. */
async function warmRounds(
  { ours, bare: yardstick }: Sides,
  { images }: Publisher,
  { rounds = 0, seconds = 0, containers = 0, rate = 0 }: Numbers,
) {
  if (ours === undefined) throw new Error('no replica');
  const loader = startWorker<Job, Outcome>('load.ts');
  const body = reviewOf(images.slice(1, 1 + containers));
  const asOurs = { server: ours, path, markers: [marker] };
  const asBare = { server: yardstick, path: yardstick.path, markers: poolMarkers };
  const load = { body, connections: 16, requests: 1e6, seconds };
  const paced = { perSecond: rate };
  const measures = {
    barePaced: { ...asBare, ...paced },
    bare: asBare,
    ours: asOurs,
    // Right after its own load, in turns both ways: a process that had nothing to do tidies its heap up first, once.
    paced: { ...asOurs, ...paced },
  };
  const sides = ['barePaced', 'bare', 'ours', 'paced'] as const;
  const measure = async (side: (typeof sides)[number]) => {
    const { server, ...job } = measures[side];
    const heldUp = server.heldUpSeconds();
    const outcome = await loader.run({ ...job, peer: server.peer, ...load });
    if (outcome.wrong > 0) throw new Error(`${side}: ${outcome.firstWrong}`);
    const heldUpShare = (server.heldUpSeconds() - heldUp) / outcome.seconds;
    say(
      `${side}: ${Math.round(outcome.perSecond)}/s, p99 ${outcome.millis.p99.toFixed(1)} ms, ` +
        `held up ${Math.round(heldUpShare * 100)} %`,
    );
    return { ...outcome, heldUpShare };
  };
  await inTurns(2, sides, measure);
  return inTurns(rounds, sides, measure);
}

type Found = {
  readonly cold: readonly Cold[];
  readonly original: number;
  readonly warm: Awaited<ReturnType<typeof warmRounds>>;
  readonly digests?: number;
  readonly rate?: number;
};

function report({ cold, original, warm, digests = 0, rate = 0 }: Found): Report {
  const rates = (side: keyof typeof warm) => spreadOf(warm[side].map((each) => each.perSecond));
  const p99 = (side: keyof typeof warm) => spreadOf(warm[side].map(({ millis }) => millis.p99));
  const heldUp = (side: keyof typeof warm) => spreadOf(warm[side].map((each) => each.heldUpShare));
  const perSecond = (side: 'ours' | 'bare') => warm[side].map((each) => each.perSecond);
  const ratio = spreadOf(ratios(perSecond('ours'), perSecond('bare')));
  const verifications = spreadOf(cold.map((burst) => burst.verifications));
  const coldRatio = spreadOf(cold.map((burst) => burst.p99 / burst.one));
  return {
    bench: 'verify-once',
    figures: {
      verifications,
      oneVerificationMillis: spreadOf(cold.map(({ one }) => one)),
      coldP99Millis: spreadOf(cold.map((burst) => burst.p99)),
      // Of replicas that have answered two reviews before it.
      firstBurstP99Millis: cold[0]?.p99 ?? Number.NaN,
      coldRatio,
      originalWayP99Millis: original,
      reviewsPerSecond: rates('ours'),
      bareReviewsPerSecond: rates('bare'),
      throughputRatio: ratio,
      warmP99Millis: p99('ours'),
      bareP99Millis: p99('bare'),
      pacedReviewsPerSecond: rates('paced'),
      pacedP99Millis: p99('paced'),
      barePacedP99Millis: p99('barePaced'),
      // Ready to run while the core was another's: of a machine that others use, all that is above.
      pacedHeldUpShare: heldUp('paced'),
      barePacedHeldUpShare: heldUp('barePaced'),
    },
    bars: [
      atMost('verifications', verifications.high, digests),
      atLeast('verifications', verifications.low, digests),
      atMost('cold p99, times one verification', coldRatio.median, 1.5),
      atLeast('warm throughput, of the bare handler', ratio.median, 0.4),
      atLeast('warm reviews a second', rates('ours').median, 2_000),
      atMost('warm p99 as fast as answers come, milliseconds', p99('ours').median, 10),
      atMost(`warm p99 at ${rate} reviews a second, milliseconds`, p99('paced').median, 10),
    ],
  };
}
