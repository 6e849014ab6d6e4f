import { startKube } from '#test/real/kube/start.ts';
import { atMost, type Bench, type Numbers, type Report, say } from './support/bench.ts';
import { inTurns } from './support/contest.ts';
import { millisToFirstAnswer } from './support/first-answer.ts';
import { alsoStop, pinSelf } from './support/processes.ts';
import { podReview } from './support/review.ts';
import { furnish } from './support/rollout/cluster.ts';
import { openKubeApi } from './support/rollout/kube-api.ts';
import type { Serving } from './support/server.ts';
import { ratios, spreadOf } from './support/statistics.ts';
import {
  bare,
  bundled,
  bundledByHand,
  bundledLive,
  openWorkshop,
  poolMarkers,
} from './support/subjects.ts';

const body = podReview();

export const bench: Bench = {
  about: 'process start to the first right answer over TLS, against a bare node:https handler',
  options: { rounds: 21, live: 1 },
  run,
};

type Servings = Readonly<Record<string, Serving>>;

async function run({ rounds = 0, live = 0 }: Numbers): Promise<Report> {
  const workshop = await openWorkshop();
  const servings = {
    bare: await bare(workshop),
    ours: await bundled('prefer-pool', workshop),
    byHand: await bundledByHand('prefer-pool', workshop),
  };
  pinSelf('load');
  const { bare: yardstick = [], ours = [], byHand = [] } = await measured(servings, rounds);
  const ratio = spreadOf(ratios(ours, yardstick));
  const figures = {
    bareMillis: spreadOf(yardstick),
    millis: spreadOf(ours),
    ratio,
    ratioWithYaml: spreadOf(ratios(byHand, yardstick)),
  };
  const bars = [
    atMost('cold start, times the bare handler', ratio.median, 1.5),
    atMost('the same, configured in YAML', figures.ratioWithYaml.median, 1.5),
  ];
  if (live === 0) return { bench: 'cold-start', figures, bars };

  const asking = { live: await bundledLive(workshop, await startCluster()) };
  const { live: millis = [] } = await measured(asking, Math.ceil(rounds / 2));
  return {
    bench: 'cold-start',
    figures: { ...figures, millisWithLivePorts: spreadOf(millis) },
    bars,
  };
}

async function measured(servings: Servings, rounds: number) {
  const measure = async (side: string): Promise<number> => {
    const serving = servings[side];
    if (serving === undefined) throw new Error(`no such side: ${side}`);
    return millisToFirstAnswer(serving, body, poolMarkers);
  };
  const sides = Object.keys(servings);
  // The first start fills the compile cache, the second one is the first to read it.
  say('warming the compile caches');
  await inTurns(2, sides, measure);
  return inTurns(rounds, sides, async (side, round) => {
    const took = await measure(side);
    say(`round ${round + 1}/${rounds} ${side}: ${took.toFixed(0)} ms`);
    return took;
  });
}

/** The kubeconfig of a real API server with a node of the pool. */
async function startCluster(): Promise<string> {
  say('starting a kube-apiserver for the live ports (--live 0 leaves them out)');
  const kube = await startKube();
  alsoStop(kube.stop);
  await furnish(openKubeApi(kube));
  return kube.kubeconfig;
}
