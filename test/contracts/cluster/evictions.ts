import { beforeAll, describe, expect, it } from 'vitest';
import { pods } from '#shared/domain/kind.ts';
import { budget, budgets, made, type Open, type Place, pod, podIn } from './place.ts';

export function evictionContract(open: Open): void {
  describe('evicting', () => {
    let place: Place;

    beforeAll(async () => {
      place = await open();
    });

    const runningPod = async (name: string) => {
      await made(place, pods, pod(place, name));
      const ready = [{ type: 'Ready', status: 'True' }];
      const body = { status: { phase: 'Running', conditions: ready } };
      await place.cluster.patch(podIn(place, name, 'status'), { type: 'strategic', body });
    };
    const allowed = async (app: string, disruptionsAllowed: number) => {
      const target = { kind: budgets, namespace: place.namespace, name: `budget-of-${app}` };
      const counts = { currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
      const body = { status: { disruptionsAllowed, observedGeneration: 1, ...counts } };
      const status = { ...target, subresource: 'status' };
      await place.cluster.patch(status, { type: 'merge', body });
    };

    it('evicts a pod that no budget holds', async () => {
      await runningPod('free');
      expect((await place.cluster.evict(podIn(place, 'free'))).kind).toBe('written');
      expect(await place.cluster.find(podIn(place, 'free'))).toBeUndefined();
    });

    it('is busy while a budget holds the pod', async () => {
      await runningPod('held');
      await made(place, budgets, budget(place, 'held'));
      await allowed('held', 0);
      const write = await place.cluster.evict(podIn(place, 'held'));
      expect(write).toMatchObject({ kind: 'busy', afterSeconds: expect.any(Number) });
      expect(await place.cluster.find(podIn(place, 'held'))).toBeDefined();
    });

    it('evicts as soon as the budget allows it', async () => {
      await runningPod('spare');
      await made(place, budgets, budget(place, 'spare'));
      await allowed('spare', 1);
      expect((await place.cluster.evict(podIn(place, 'spare'))).kind).toBe('written');
    });

    it('evicts a pod that does not run yet, whatever its budget', async () => {
      await made(place, pods, pod(place, 'waiting'));
      await made(place, budgets, budget(place, 'waiting'));
      await allowed('waiting', 0);
      expect((await place.cluster.evict(podIn(place, 'waiting'))).kind).toBe('written');
    });

    it('keeps a pod of another uid', async () => {
      await runningPod('replaced');
      const uid = '7e57ab1e-0000-4000-8000-000000000000';
      expect((await place.cluster.evict(podIn(place, 'replaced'), { uid })).kind).toBe('conflict');
      expect(await place.cluster.find(podIn(place, 'replaced'))).toBeDefined();
    });

    it('keeps the pod in a dry run', async () => {
      await runningPod('tried');
      const write = await place.cluster.evict(podIn(place, 'tried'), { dryRun: true });
      expect(write.kind).toBe('written');
      expect(await place.cluster.find(podIn(place, 'tried'))).toBeDefined();
    });

    it('finds nothing to evict where nothing is', async () => {
      expect((await place.cluster.evict(podIn(place, 'nobody'))).kind).toBe('not-found');
    });
  });
}
