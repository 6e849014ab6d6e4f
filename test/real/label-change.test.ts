import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { pods } from '#shared/domain/kind.ts';
import { keptUnder, writeAgain } from './label-change/etcd-writes.ts';
import { openStage, type Stage, untilTold } from './label-change/stage.ts';

const perSecond = 500;
const leastPerSecond = 450;
const batch = 10;
const flips = 30;
const promisedMs = 1_000;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage(inject('kube'));
  await writePods();
  await untilFresh();
}, 60_000);
afterAll(() => stage?.close());

const crowd = 50;
const container = { name: 'app', image: 'registry.example/app:1' };

async function writePods(): Promise<void> {
  const { cluster, team } = stage;
  await Promise.all(
    Array.from({ length: crowd }, (_, at) =>
      cluster.create(pods, {
        ...{ apiVersion: 'v1', kind: 'Pod', spec: { containers: [container] } },
        metadata: { name: `pod-${at}`, namespace: team },
      }),
    ),
  );
}

async function untilFresh(): Promise<void> {
  await vi.waitFor(async () => expect(await stage.isStale()).toBe(false), 20_000);
}

/** Changes of pods at an even pace. */
async function busy() {
  const { etcdUrl } = inject('kube');
  const kept = await keptUnder(etcdUrl, `/registry/pods/${stage.team}/`);
  const [before, began] = [await stage.changesOfPods(), performance.now()];
  const state = { isOver: false, written: 0 };
  const turn = async () => {
    for (; !state.isOver; await after(10)) {
      const due = ((performance.now() - began) * perSecond) / 1_000;
      for (; state.written < due; state.written += batch) {
        const from = state.written % crowd;
        await writeAgain(etcdUrl, kept.slice(from, from + batch));
      }
    }
  };
  const turning = turn();
  return {
    /** How many the forwarder took over, a second. */
    async stop() {
      const heard = (await stage.changesOfPods()) - before;
      const pace = (heard * 1_000) / (performance.now() - began);
      state.isOver = true;
      await turning;
      return pace;
    },
  };
}

async function measured() {
  const writing = await busy();
  await after(500);
  const ms: number[] = [];
  for (let turn = 0; turn < flips; turn += 1) {
    const label = `${turn}-${Date.now()}`;
    await stage.relabel(label);
    ms.push(await untilTold(stage, label, 5_000));
    await after(100);
  }
  return { pace: await writing.stop(), longestMs: Math.max(...ms) };
}

describe('a label of a namespace that the API server has acknowledged', () => {
  it('is known to admission within a second, while 500 pods change each second', async () => {
    const once = await measured();
    // Once more, where others held the machine up.
    const isHeldUp = once.longestMs >= promisedMs || once.pace < leastPerSecond;
    const { pace, longestMs } = isHeldUp ? await measured() : once;
    expect(longestMs).toBeLessThan(promisedMs);
    expect(pace).toBeGreaterThan(leastPerSecond);
    // It was told from the mirror: nothing else hears of a change.
    expect(await stage.isStale()).toBe(false);
  }, 120_000);
});
