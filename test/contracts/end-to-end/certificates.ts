import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import healCaBundle from '#functions/certificates/heal-ca-bundle.ts';
import { bundleOf } from '#shared/domain/certificates/pem.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import {
  openRealReplica,
  portsOf,
  type RealReplica,
} from '#test/support/certificates/real-replica.ts';
import { bundlesOf, ofMutating } from '#test/support/certificates/webhooks.ts';
import {
  type CertificateStage,
  certificateStage,
  type Lifetimes,
  type Load,
  patiently,
  soon,
  spelled,
  stated,
  wake,
  withBundle,
} from './certificate-stage.ts';
import { namespaceIn, type Place } from './place.ts';

export type Tempo = {
  readonly lifetimes: Lifetimes;
  readonly upWithinMs: number;
  /** While so much is left, nothing rotates for the next seconds. Left out: nothing rotates in the time of a test. */
  readonly rotating?: { readonly ca: number; readonly leaf: number };
};

/** One story, in order: two replicas, both asked by the API server at every create. */
export function certificatesContract(whose: string, place: Place, tempo: Tempo): void {
  const { cluster } = place;
  const { rotating } = tempo;

  describe(`certificates on ${whose}`, { timeout: 60_000 }, () => {
    let stage: CertificateStage;
    let replicas: readonly RealReplica[] = [];
    let load: Load | undefined;

    beforeAll(async () => {
      stage = certificateStage(cluster, await namespaceIn(place), tempo.lifetimes);
    });
    afterAll(async () => {
      await load?.stop();
      await Promise.all(replicas.map((replica) => replica.stop()));
      await cluster.delete(ofMutating);
    });

    const steady = async () => {
      if (rotating !== undefined) await stage.steady(rotating);
    };

    it('come up from nothing in seconds, made once among replicas that start together', async () => {
      const startedMs = Date.now();
      const { ports } = stage;
      replicas = await Promise.all(['one', 'two'].map((name) => openRealReplica(name, ports)));
      expect(Date.now() - startedMs).toBeLessThan(tempo.upWithinMs);
      expect(new Set(replicas.map((replica) => replica.current()?.authorities)).size).toBe(1);
      expect(await stage.leases()).toBe(2);
    });

    it('A10 say what is missing while there is no webhook configuration', async () => {
      await stage.heal();
      expect(stage.conditions.find('ca-bundle')).toMatchObject({
        holds: false,
        why: expect.stringContaining('there is no webhook configuration'),
      });
    });

    it('A12 are in every entry after one write that changed nothing else', async () => {
      expect(await stage.install(replicas)).toBe('written');
      const before = await stage.configuration();
      const outcomes = await Promise.all([stage.heal(), stage.heal(), stage.heal()]);
      expect(outcomes.filter(({ kind }) => kind === 'done').length).toBeGreaterThan(0);

      const after = await stage.configuration();
      expect(after.metadata['generation']).toBe(Number(before.metadata['generation']) + 1);
      expect(stated(after)).toEqual(withBundle(stated(before), await stage.wanted()));
      expect(stage.conditions.find('ca-bundle')).toBeDefined();
    });

    it('A13 are written no second time', async () => {
      const before = await stage.configuration();
      const outcomes = await Promise.all([stage.heal(), stage.heal(), stage.heal()]);
      expect(outcomes).toEqual(Array(3).fill({ kind: 'done' }));
      expect(await stage.configuration()).toEqual(before);
    });

    it('are all that is ours in the configuration, so that an installer may apply its own again', async () => {
      const before = await stage.configuration();
      const owned = (before.metadata['managedFields'] as JsonObject[])
        .map(({ fieldsV1 }) => JSON.stringify(fieldsV1))
        .filter((fields) => fields.includes('f:caBundle'));
      expect(owned).toHaveLength(1);
      expect(owned[0]).not.toContain('f:rules');

      expect(await stage.install(replicas)).toBe('written');
      expect(stated(await stage.configuration())).toEqual(stated(before));
    });

    it('A14 meet a conflict where somebody writes in between, and are in place after the next run', async () => {
      await stage.wipe();
      const meddling = portsOf(healCaBundle, stage.ports);
      const outcome = await healCaBundle.handler(wake, {
        ...meddling,
        cluster: {
          ...meddling.cluster,
          async patch(target, body, options) {
            const marked: JsonObject = { metadata: { annotations: { 'example.com/at': 'now' } } };
            await cluster.patch(target, { type: 'merge', body: marked });
            return meddling.cluster.patch(target, body, options);
          },
        },
      });
      expect(outcome.kind).toBe('conflict');
      expect(await stage.heal()).toEqual({ kind: 'done' });
      const bundles = bundlesOf(await stage.configuration()).map(spelled);
      expect(bundles).toEqual(Array(2).fill(await stage.wanted()));
    });

    it('A11 let an answer through that is neither yes nor conflict', async () => {
      await stage.wipe();
      const given = portsOf(healCaBundle, stage.ports);
      const failing = { ...given.cluster, patch: () => Promise.reject(new Error('forbidden')) };
      await expect(healCaBundle.handler(wake, { ...given, cluster: failing })).rejects.toThrow(
        'forbidden',
      );
      await stage.heal();
    });

    it('are what the API server trusts at each create', async () => {
      for (const replica of replicas) replica.run();
      await vi.waitFor(async () => expect(await stage.created()).toBe('written'), soon);
    });

    if (rotating !== undefined) {
      it('rotate, CA and all, under calls of which none is refused', async () => {
        load = stage.startLoad();
        const { ca: first } = await stage.contents();
        await vi.waitFor(
          async () => expect((await stage.contents()).ca).not.toBe(first),
          patiently,
        );
        await steady();
        await load.stop();
        expect(load.refused()).toEqual([]);
        expect(load.count()).toBeGreaterThan(100);
      }, 150_000);
    }

    it('heal after an installer wiped the bundle, with one write', async () => {
      await steady();
      const before = await stage.configuration();
      await stage.wipe();
      await vi.waitFor(async () => {
        const bundles = bundlesOf(await stage.configuration());
        expect(bundles.every((bundle) => bundle !== '')).toBe(true);
      }, soon);
      const after = await stage.configuration();
      // The installer's write, and ours.
      expect(after.metadata['generation']).toBe(Number(before.metadata['generation']) + 2);
      expect(stated(after)).toEqual(withBundle(stated(before), await stage.wanted()));
      await vi.waitFor(async () => expect(await stage.created()).toBe('written'), soon);
    }, 150_000);

    it('A15 start anew after the Secret was deleted by hand, under calls of which none is refused', async () => {
      await steady();
      load = stage.startLoad();
      const { ca: before } = await stage.contents();
      await cluster.delete(stage.secretPlace);
      await vi.waitFor(async () => {
        const { ca } = await stage.contents();
        expect(ca).not.toBe(before);
        const alone = [ca, ca].map((each) => bundleOf(each));
        expect(replicas.map((replica) => replica.current()?.authorities)).toEqual(alone);
        expect(bundlesOf(await stage.configuration()).map(spelled)).toEqual(alone);
      }, patiently);
      expect(load.refused()).toEqual([]);
    }, 150_000);
  });
}
