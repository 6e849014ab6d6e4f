import { describe, expect, it } from 'vitest';
import followTrustBundle from '#functions/pod-bootstrap/follow-trust-bundle.ts';
import { bootstrapDocumentsInMemory } from '#infra/emulator/testing/bootstrap-documents-in-memory.ts';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { measuresRecorded } from '#infra/emulator/testing/measures-recorded.ts';
import { restartsInMemory } from '#infra/emulator/testing/restarts-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { everyFault } from '#infra/emulator/world/every-fault/every-fault.ts';
import type { Json } from '#shared/domain/json.ts';
import { done } from '#shared/domain/outcome.ts';
import { configurationOf } from '#shared/domain/pod-bootstrap/configuration.ts';
import { configurationName } from '#shared/domain/pod-bootstrap/housekeeping/house.ts';
import type { TrustBundle } from '#shared/domain/pod-bootstrap/trust-bundle.ts';
import type { Restarts } from '#shared/ports.ts';
import { runOnce } from '#shared/runtime/reconcile.ts';
import { trustBundle } from '#test/shared/domain/pod-bootstrap/bootstrapping.ts';
import { running } from '#test/support/running.ts';

const document = {
  availableFeatures: ['rt-cfg.kyma-project.io/add-cluster-trust-bundle'],
  clusterTrustBundle: { ...trustBundle, name: 'corp' },
};

function stage() {
  const clock = clockAt('2030-01-01T00:00:00Z');
  const given = {
    clock,
    settings: settingsFixed(),
    bootstrapDocument: bootstrapDocumentsInMemory({ overrides: {}, ...document }),
    restarts: restartsInMemory({ now: () => clock.now().getTime() }),
    conditions: conditionsRecorded(),
    measures: measuresRecorded(),
  };
  const wake = { kind: 'period', function: 'follow-trust-bundle' } as const;
  const run = (bootstrapDocument = given.bootstrapDocument, restarts: Restarts = given.restarts) =>
    runOnce(followTrustBundle, wake, running({ ...given, bootstrapDocument, restarts }));
  return { ...given, run };
}

describe('follow-trust-bundle', () => {
  it('B17 notes since when the bundle is what it is', async () => {
    const { bootstrapDocument, clock, restarts, measures, run } = stage();
    bootstrapDocument.know('corp', { kind: 'present', hash: 'one' });
    expect(await run()).toEqual(done);
    clock.advanceMs(60_000);
    expect(await run()).toEqual(done);
    expect(await restarts.ageMs('corp', 'one')).toBe(60_000);

    bootstrapDocument.know('corp', { kind: 'present', hash: 'two' });
    await run();
    clock.advanceMs(3_000);
    expect(await restarts.ageMs('corp', 'two')).toBe(3_000);
    expect(measures.find('pod_bootstrap_trust_bundle')).toEqual([
      { labels: { name: 'corp', hash: 'two' }, value: 1 },
    ]);
  });

  it('notes since when the configuration is what it is', async () => {
    const { bootstrapDocument, clock, settings, restarts, run } = stage();
    await run();
    clock.advanceMs(60_000);
    await run();
    const known = await bootstrapDocument.current();
    if (known === undefined) throw new Error('there is no document');
    const { hash } = configurationOf(known, settings.current().podBootstrap);
    expect(await restarts.ageMs(configurationName, hash)).toBe(60_000);
  });

  it.each<[string, Json | undefined, number]>([
    ['again where it was switched off meanwhile', { overrides: {}, availableFeatures: [] }, 0],
    ['as before where it cannot be read meanwhile', '{', 3_600_000],
  ])(
    'knows that it is another configuration, or the one before: %s',
    async (_, meanwhile, ageMs) => {
      const { clock, restarts, run, settings, ...given } = stage();
      const known = await given.bootstrapDocument.current();
      if (known === undefined) throw new Error('there is no document');
      const { hash } = configurationOf(known, settings.current().podBootstrap);
      await run();
      clock.advanceMs(3_600_000);
      // Of a process that has seen no other one.
      await run(bootstrapDocumentsInMemory(meanwhile));
      await run();
      expect(await restarts.ageMs(configurationName, hash)).toBe(ageMs);
    },
  );

  it.each<[TrustBundle, boolean, RegExp]>([
    [{ kind: 'present', hash: 'one' }, true, /pods are given corp/],
    [{ kind: 'absent' }, false, /there is no ClusterTrustBundle corp/],
    [{ kind: 'not-served' }, false, /serves no ClusterTrustBundles/],
    [{ kind: 'not-projected' }, false, /ClusterTrustBundleProjection/],
    [{ kind: 'unknown' }, false, /could not be read/],
  ])('tells operators of %o', async (bundle, holds, why) => {
    const { bootstrapDocument, conditions, run } = stage();
    bootstrapDocument.know('corp', bundle);
    await run();
    expect(conditions.find('trust-bundle')).toMatchObject({
      holds,
      why: expect.stringMatching(why),
    });
  });

  it.each<[TrustBundle, boolean]>([
    [{ kind: 'present', hash: 'one' }, true],
    [{ kind: 'absent' }, false],
  ])('tells of %o while the database is away, too, and is run again', async (bundle, holds) => {
    const { bootstrapDocument, conditions, measures, restarts, run } = stage();
    bootstrapDocument.know('corp', bundle);
    const ageMs = async () => Promise.reject(new Error('the database is away'));
    expect(await run(bootstrapDocument, { ...restarts, ageMs })).toMatchObject({ kind: 'retry' });
    expect(conditions.find('trust-bundle')).toMatchObject({ holds });
    expect(measures.find('pod_bootstrap_trust_bundle')).toHaveLength(holds ? 1 : 0);
  });

  it('wants none where the document names none', async () => {
    const { bootstrapDocument, conditions, measures, run } = stage();
    bootstrapDocument.write({ overrides: {}, availableFeatures: [] });
    await run();
    expect(conditions.find('trust-bundle')).toMatchObject({ holds: true });
    expect(measures.find('pod_bootstrap_trust_bundle')).toEqual([]);
  });

  it('comes to the same end whatever goes wrong', async () => {
    const bundle = (trustBundle: string) => ({
      ...{ apiVersion: 'certificates.k8s.io/v1', kind: 'ClusterTrustBundle' },
      ...{ metadata: { name: 'corp' }, spec: { trustBundle } },
    });
    const { cases } = await everyFault({
      functions: [
        new URL('../../../functions/pod-bootstrap/follow-trust-bundle.ts', import.meta.url),
      ],
      config: { podBootstrap: { document } },
      steps: {
        'a bundle is there': (world) => world.apply(bundle('one')),
        'it is rotated': (world) => world.apply(bundle('two')),
      },
    });
    expect(cases).toBeGreaterThan(30);
  });
});
