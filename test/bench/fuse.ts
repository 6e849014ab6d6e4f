import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { paths } from '#shared/domain/installation.ts';
import { atLeast, atMost, type Bench, type Numbers, type Report, say } from './support/bench.ts';
import { makeCertificate } from './support/certificate.ts';
import { inTurns } from './support/contest.ts';
import type { PodJob, PodOutcome } from './support/pods.ts';
import { buildCommand, writeConfig } from './support/program.ts';
import { podReview } from './support/review.ts';
import { freePort, type Served, serve } from './support/server.ts';
import { ratios, spreadOf } from './support/statistics.ts';
import { nodeFlags, openFolder } from './support/subjects.ts';
import { startWorker, type Worker } from './support/worker.ts';

const functions = ['mirror-images', 'add-pull-secret', 'stamp-images', 'tolerate-pool'];
const routes = {
  inLine: functions.map((name) => paths.alone('mutate', name)),
  fused: [paths.fusedPods],
} as const;
const sides = ['inLine', 'fused'] as const;
type Side = (typeof sides)[number];

export const bench: Bench = {
  about: 'four functions in one call, against four calls in line, of the same server',
  options: { rounds: 9, seconds: 2 },
  run,
};

async function run({ rounds = 0, seconds = 0 }: Numbers): Promise<Report> {
  const server = await startServer();
  const client = startWorker<PodJob, PodOutcome>('pods.ts');
  const measure = (lanes: number) => async (side: Side, round: number) => {
    const outcome = await client.run(jobOf(side, server, { lanes, seconds }));
    say(
      `round ${round + 1}/${rounds} ${side}, ${lanes} at once: ${Math.round(outcome.perSecond)}/s`,
    );
    return outcome;
  };
  await mustAgree(client, server);
  await inTurns(2, sides, measure(16));
  const one = await inTurns(rounds, sides, measure(1));
  const many = await inTurns(rounds, sides, measure(16));
  return report(one, many);
}

async function startServer(): Promise<Served> {
  const directory = openFolder();
  const serverName = 'gatehouse-webhook.gatehouse-system.svc';
  const { ca } = await makeCertificate(serverName, directory);
  const [port, probePort] = [await freePort(), await freePort()];
  const config = writeConfig(join(directory, 'config.yaml'), {
    capabilities: ['samples'],
    log: { level: 'warn' },
    server: { address: '127.0.0.1', port, probePort },
    certificates: { source: 'files', directory },
  });
  const command = await buildCommand(directory);
  const folder = fileURLToPath(new URL('functions/fused', import.meta.url));
  const args = ['serve', '--role', 'admission', '--config', config, '--functions', folder];
  const node = [...nodeFlags, command, ...args];
  return serve({ peer: { port, serverName, ca }, path: '', node });
}

type Load = { readonly lanes: number; readonly seconds: number };

function jobOf(side: Side, { peer }: Served, { lanes, seconds }: Load): PodJob {
  return { peer, paths: routes[side], review: podReview(), lanes, seconds };
}

/** Both ways must lead to the same pod, or their speed says nothing. */
async function mustAgree(client: Worker<PodJob, PodOutcome>, server: Served): Promise<void> {
  const short = { lanes: 1, seconds: 0.1 };
  const inLine = await client.run(jobOf('inLine', server, short));
  const fused = await client.run(jobOf('fused', server, short));
  if (!isDeepStrictEqual(sorted(inLine.pod), sorted(fused.pod))) {
    throw new Error('fused and in line make different pods');
  }
}

/** The order of functions is the server's when fused: lists are compared without theirs. */
function sorted(pod: PodOutcome['pod']): unknown {
  return JSON.parse(JSON.stringify(pod), (_, value) =>
    Array.isArray(value) ? value.map((item) => JSON.stringify(item)).toSorted() : value,
  );
}

type Found = Readonly<Record<Side, readonly PodOutcome[]>>;

function report(one: Found, many: Found): Report {
  const p50 = (found: Found, side: Side) => found[side].map(({ millis }) => millis.p50);
  const rates = (side: Side) => many[side].map(({ perSecond }) => perSecond);
  const p50Ratio = spreadOf(ratios(p50(one, 'fused'), p50(one, 'inLine')));
  const rateRatio = spreadOf(ratios(rates('fused'), rates('inLine')));
  return {
    bench: 'fuse',
    figures: {
      inLineP50Millis: spreadOf(p50(one, 'inLine')),
      fusedP50Millis: spreadOf(p50(one, 'fused')),
      p50Ratio,
      inLinePodsPerSecond: spreadOf(rates('inLine')),
      fusedPodsPerSecond: spreadOf(rates('fused')),
      podsPerSecondRatio: rateRatio,
      inLineP50MillisOf16AtOnce: spreadOf(p50(many, 'inLine')),
      fusedP50MillisOf16AtOnce: spreadOf(p50(many, 'fused')),
    },
    bars: [
      atMost('p50 of a pod, of that in line', p50Ratio.median, 0.4),
      atLeast('pods per second, times those in line', rateRatio.median, 2.5),
    ],
  };
}
