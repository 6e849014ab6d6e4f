import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Thing } from '#infra/emulator/controllers/shapes/meta.ts';
import { isReady, type Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import { events as eventKind } from '#shared/domain/kind.ts';
import {
  appsOf,
  bundleHashOf,
  deploy,
  deployAll,
  deployOne,
  type HousekeepingStage,
  housekeepingStage,
  isModified,
  onlooker,
  type Sized,
} from './housekeeping-stage.ts';
import type { Place } from './place.ts';

type Event = Thing & { readonly reason?: string };

export type Amount = Sized & { readonly perMinute: number; readonly withinMs: number };

/** One story: the webhook is away while pods are made, and comes; the bundle is rotated; the webhook breaks. */
export function housekeepingContract(whose: string, place: Place, amount: Amount): void {
  const { owners, replicas, perMinute, withinMs } = amount;
  const total = owners * replicas;
  const within = { timeout: withinMs, interval: 500 };

  describe(`housekeeping on ${whose}`, { timeout: withinMs + 60_000 }, () => {
    let stage: HousekeepingStage;
    let first: string;
    beforeAll(async () => {
      stage = await housekeepingStage(place, perMinute);
      first = await stage.rotate();
    }, 60_000);
    afterAll(() => stage.close(), 30_000);

    const uids = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.uid).toSorted();
    const allAre = (holds: (pod: Pod) => boolean) =>
      vi.waitFor(async () => {
        const now = await stage.pods();
        expect(now.filter((pod) => holds(pod) && isReady(pod))).toHaveLength(total);
        expect(now).toHaveLength(total);
      }, within);

    // Two seconds late is in time, and one may have been just before the first.
    const leastMs = (total - 2) * (60_000 / perMinute) - 2_000;

    it('B18 restarts each pod once that was made while the webhook was away, at its rate, and breaks no budget', async () => {
      const missed = await deployAll(place, stage.team, amount);
      expect(missed.some(isModified)).toBe(false);
      const looking = onlooker(stage, appsOf(owners));
      await stage.comes(first);
      await allAre(isModified);
      await looking.stop();
      expect((await stage.intents()).toSorted()).toEqual(uids(missed));
      expect(await stage.evictedWithinMs(uids(missed))).toBeGreaterThanOrEqual(leastMs);
      expect(looking.seen.size).toBe(2 * total);
      expect(Math.min(...looking.fewest.values())).toBeGreaterThanOrEqual(replicas - 1);
    });

    it('B17 restarts each pod once when the bundle is another one, at its rate', async () => {
      const before = await stage.pods();
      const earlier = await stage.intents();
      const looking = onlooker(stage, appsOf(owners));
      const hash = await stage.rotate();
      await allAre((pod) => bundleHashOf(pod) === hash);
      await looking.stop();
      const since = (await stage.intents()).filter((uid) => !earlier.includes(uid));
      expect(since.toSorted()).toEqual(uids(before));
      expect(await stage.evictedWithinMs(since)).toBeGreaterThanOrEqual(leastMs);
      expect(looking.seen.size).toBe(2 * total);
      expect(Math.min(...looking.fewest.values())).toBeGreaterThanOrEqual(replicas - 1);
    });

    const isSaid = (namespace: string) =>
      vi.waitFor(async () => {
        const events = await place.kit.all<Event>(eventKind, namespace);
        expect(events.map(({ reason }) => reason)).toContain('PodRestartsStopped');
      }, within);

    it('stops when the only pod of a StatefulSet comes back as it was, and says so', async () => {
      const earlier = await stage.intents();
      await stage.breaks();
      await deployOne(place, stage.other, 'late-db');
      await isSaid(stage.other);
      expect(await stage.intents()).toHaveLength(earlier.length + 1);
    });

    it('stops when pods come back as they were, and says so', async () => {
      const earlier = await stage.intents();
      const names = Array.from({ length: owners }, (_, at) => `late-${at}`);
      for (const name of names) await deploy(place, stage.team, { name, replicas });
      await isSaid(stage.team);
      // Each owner at most one: what had its turn before the first came back.
      const gone = (await stage.intents()).length - earlier.length;
      expect(gone).toBeGreaterThan(0);
      expect(gone).toBeLessThanOrEqual(owners);
    });
  });
}
