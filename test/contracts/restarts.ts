import { describe, expect, it } from 'vitest';
import type { Campaign } from '#shared/domain/pod-bootstrap/housekeeping/campaign.ts';
import type { Restarts } from '#shared/ports.ts';

/** A store of its own, and time that passes. */
export type RestartStage = { readonly restarts: Restarts; pass(ms: number): Promise<void> };

export function campaignOf(changed: Partial<Campaign> = {}): Campaign {
  return {
    owner: 'owner-1',
    namespace: 'team-a',
    template: 'abc',
    configurationHash: 'configuration',
    bundleHash: '',
    reason: 'missed',
    state: 'open',
    known: ['pod-1', 'pod "2", \\{}'],
    intent: { uid: 'pod-1', name: 'web-1' },
    count: 1,
    by: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web' },
    tries: 2,
    ...changed,
  };
}

const first = { revision: 0, pauseMs: 60_000 };

export function restartsContract(whose: string, stage: () => Promise<RestartStage>): void {
  describe(whose, () => {
    it('give back what was meant, word by word', async () => {
      const { restarts } = await stage();
      const find = () => restarts.find('owner-1', 'team-a');
      expect(await find()).toBeUndefined();
      expect(await restarts.intend(campaignOf(), first)).toEqual({ waitMs: 0 });
      const kept = { ...campaignOf(), revision: 1, sinceMs: expect.any(Number) };
      expect(await find()).toEqual(kept);
      expect(await restarts.find('owner-1', 'team-b')).toBeUndefined();
      expect(await restarts.listUnsettled()).toEqual([kept]);
    });

    it('let one of two win that have read the same', async () => {
      const { restarts } = await stage();
      const both = await Promise.all([1, 2].map(() => restarts.intend(campaignOf(), first)));
      expect(both.filter((each) => each !== undefined)).toHaveLength(1);

      const by = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' };
      const intent = { uid: 'pod-2', name: 'web-2' };
      const next = campaignOf({ ...{ intent, by }, count: 2, tries: 1 });
      const again = await Promise.all(
        [1, 2].map(() => restarts.intend(next, { revision: 1, pauseMs: 0 })),
      );
      expect(again.filter((each) => each !== undefined)).toHaveLength(1);
      expect(await restarts.find('owner-1', 'team-a')).toMatchObject({ ...next, revision: 2 });
    });

    it('write nothing over what was settled meanwhile, nor settle what has moved on', async () => {
      const { restarts } = await stage();
      await restarts.intend(campaignOf(), first);
      expect(await restarts.settle('owner-1', { state: 'closed', revision: 1 })).toBe(true);
      expect(await restarts.settle('owner-1', { state: 'tripped', revision: 1 })).toBe(false);
      expect(await restarts.intend(campaignOf(), { revision: 1, pauseMs: 0 })).toBeUndefined();
      expect(await restarts.listUnsettled()).toEqual([]);
      expect(await restarts.intend(campaignOf(), { revision: 2, pauseMs: 0 })).toBeDefined();
    });

    it('give each of many its own turn, one pause after the other', async () => {
      const { restarts } = await stage();
      const turns = await Promise.all(
        ['a', 'b', 'c', 'd'].map((owner) => restarts.intend(campaignOf({ owner }), first)),
      );
      const waits = turns.map((turn) => Math.round((turn?.waitMs ?? -1) / 10_000)).toSorted();
      expect(waits.toSorted((one, other) => one - other)).toEqual([0, 6, 12, 18]);
    });

    it('let nobody make up for a turn that has passed while others go', async () => {
      const { restarts, pass } = await stage();
      const pauseMs = 60_000;
      const find = (owner: string) => restarts.find(owner, 'team-a');
      const takes = async (owner: string) => {
        const { revision = 0 } = (await find(owner)) ?? {};
        return (await restarts.takeTurn(owner, { revision, pauseMs }))?.waitMs ?? -1;
      };
      const owners = ['a', 'b', 'c', 'd'];
      for (const owner of owners)
        await restarts.intend(campaignOf({ owner }), { revision: 0, pauseMs });
      expect((await find('a'))?.turnInMs).toBeUndefined();
      expect((await find('d'))?.turnInMs).toBeGreaterThan(2 * pauseMs);
      expect(await takes('d')).toBeGreaterThan(2 * pauseMs);
      await pass(3 * pauseMs + 3_100);
      expect([await takes('b'), (await find('b'))?.turnInMs]).toEqual([0, undefined]);
      const waits = [await takes('c'), await takes('d')];
      expect(waits.map((ms) => Math.ceil(ms / pauseMs))).toEqual([1, 2]);
      await pass(waits[0] ?? 0);
      expect(await takes('c')).toBe(0);
    });

    it('give back the turn in which nobody went', async () => {
      const { restarts } = await stage();
      await restarts.intend(campaignOf(), first);
      await restarts.giveTurnBack(first.pauseMs);
      expect(await restarts.intend(campaignOf({ owner: 'b' }), first)).toEqual({ waitMs: 0 });
    });

    it('let one of two take a turn, and none that has moved on', async () => {
      const { restarts } = await stage();
      await restarts.intend(campaignOf(), first);
      await restarts.giveTurnBack(first.pauseMs);
      const on = { revision: 1, pauseMs: 60_000 };
      const both = await Promise.all([1, 2].map(() => restarts.takeTurn('owner-1', on)));
      expect(both.filter((each) => each?.waitMs === 0)).toHaveLength(1);
      expect(both.filter((each) => each === undefined)).toHaveLength(1);
      expect(await restarts.takeTurn('nobody', on)).toBeUndefined();
    });

    it('take no turn for what was not written', async () => {
      const { restarts } = await stage();
      await restarts.intend(campaignOf(), { revision: 0, pauseMs: 60_000 });
      await restarts.intend(campaignOf(), { revision: 0, pauseMs: 60_000 });
      const turn = await restarts.intend(campaignOf({ owner: 'b' }), first);
      expect(Math.round((turn?.waitMs ?? 0) / 10_000)).toBe(6);
    });

    it('count the time since the last trip of each namespace, until all of them are closed', async () => {
      const { restarts, pass } = await stage();
      const trip = async (owner: string, namespace: string) => {
        await restarts.intend(campaignOf({ owner, namespace }), first);
        await restarts.settle(owner, { state: 'tripped', revision: 1 });
      };
      expect(await restarts.trips()).toEqual([]);
      await trip('owner-1', 'team-a');
      await trip('owner-2', 'team-b');
      await pass(60);
      await trip('owner-3', 'team-b');
      const [older, newer, none] = await restarts.trips();
      expect([older?.namespace, newer?.namespace, none]).toEqual(['team-a', 'team-b', undefined]);
      expect(older?.sinceMs).toBeGreaterThanOrEqual(60);
      expect((older?.sinceMs ?? 0) - (newer?.sinceMs ?? 0)).toBeGreaterThanOrEqual(60);
      expect((await restarts.find('owner-1', 'team-a'))?.sinceMs).toBeGreaterThanOrEqual(60);
      await restarts.settle('owner-1', { state: 'closed', revision: 2 });
      expect(await restarts.trips()).toMatchObject([{ namespace: 'team-b' }]);
    });

    it('know since when a bundle is what it is', async () => {
      const { restarts, pass } = await stage();
      expect(await restarts.ageMs('corp', 'one')).toBe(0);
      await pass(30);
      expect(await restarts.ageMs('corp', 'one')).toBeGreaterThanOrEqual(30);
      expect(await restarts.ageMs('corp', 'two')).toBe(0);
      expect(await restarts.ageMs('other', 'one')).toBe(0);
    });

    it('count each pod that was evicted once, by its reason, and none that waits', async () => {
      const { restarts } = await stage();
      await restarts.intend(campaignOf(), first);
      await restarts.intend(campaignOf(), { revision: 1, pauseMs: 0 });
      const other = campaignOf({ owner: 'b', reason: 'staleBundle' });
      await restarts.intend({ ...other, intent: { uid: 'pod-3', name: 'c' } }, first);
      const held = { ...campaignOf({ owner: 'c' }), intent: { uid: 'pod-4', name: 'd' } };
      await restarts.intend(held, first);
      expect(await restarts.tally()).toEqual([]);
      for (const uid of ['pod-1', 'pod-1', 'pod-3', 'pod-of-nobody'])
        await restarts.noteEvicted(uid);
      expect(await restarts.tally()).toEqual([
        { reason: 'missed', count: 1 },
        { reason: 'staleBundle', count: 1 },
      ]);
    });
  });
}
