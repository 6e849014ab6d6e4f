import { describe, expect, it } from 'vitest';
import restartPod from '#functions/pod-bootstrap/restart-pod.ts';
import surveyPods from '#functions/pod-bootstrap/survey-pods.ts';
import { emulate } from '#infra/emulator/world/emulate.ts';
import { everyFault } from '#infra/emulator/world/every-fault/every-fault.ts';
import type { World } from '#infra/emulator/world/world.ts';
import { pullSecret } from '#test/support/pull-secret.ts';
import { config, makePod, replacePod, replicaSet, surroundings } from './housekeeping-world.ts';

const pullSecretFeature = 'rt-cfg.kyma-project.io/add-img-pull-secret';

const story = {
  functions: [restartPod],
  objects: [...surroundings, replicaSet],
  config,
};

async function pods(world: World): Promise<readonly string[]> {
  return (await world.find('Pod')).map(({ metadata }) => metadata.name ?? '').toSorted();
}

async function missed(...names: readonly string[]): Promise<World> {
  const world = await emulate({ ...story, functions: [restartPod, surveyPods] });
  for (const name of names) await makePod(world, name, { isModified: false });
  await world.settle();
  return world;
}

type Pace = { readonly everySeconds?: number; readonly resyncInterval?: string };

function passesIn(world: World): number {
  return world.decisions().filter((each) => each.kind === 'run' && each.object === undefined)
    .length;
}

describe('restart-pod', () => {
  it('evicts one, and the next only when the replacement is there', async () => {
    await using world = await missed('web-1', 'web-2');
    expect(await pods(world)).toHaveLength(1);
    await world.advance(3_600_000);
    expect(await pods(world)).toHaveLength(1);

    await makePod(world, 'new-1', { isModified: true });
    await world.settle();
    expect(await pods(world)).toEqual(['new-1']);
    await makePod(world, 'new-2', { isModified: true });
    await world.settle();
    expect(await pods(world)).toEqual(['new-1', 'new-2']);
  });

  it('stops when the replacement came back as it was, and says so', async () => {
    await using world = await missed('web-1', 'web-2');
    await makePod(world, 'new-1', { isModified: false });
    await world.settle();
    await world.advance(1_500_000);
    expect(await pods(world)).toHaveLength(2);
    expect(await world.find('Event')).toMatchObject([
      { reason: 'PodRestartsStopped', regarding: { kind: 'ReplicaSet', name: 'web' } },
    ]);
    const { conditions } = world.reports();
    expect(conditions.find(({ name }) => name === 'pod-restarts')).toMatchObject({ holds: false });
  });

  it.each<[string, object]>([
    ['when it is paused', { mode: 'paused' }],
    ['when it runs dry', { mode: 'dryRun' }],
    ['for what is not wanted', { restartFor: ['staleBundle'] }],
    ['where pods are only reported', { reportOnly: ['team-a'] }],
    ['while pods are young', { grace: '2h' }],
  ])('evicts nobody %s', async (_, restart) => {
    const { podBootstrap } = config;
    const given = {
      podBootstrap: { ...podBootstrap, restart: { ...podBootstrap.restart, ...restart } },
    };
    await using world = await emulate({ ...story, config: given });
    await makePod(world, 'web-1', { isModified: false });
    await world.settle();
    await world.advance(3_600_000);
    expect(await pods(world)).toEqual(['web-1']);
  });

  it.each([
    ['by its own period', {}, 600],
    ['by the settings’, where they say another one', { everySeconds: 1_200 }, 1_200],
    ['by the document’s, where that is sooner', { resyncInterval: '2m' }, 120],
  ])('looks all pods over %s', async (_, { resyncInterval = '', ...restart }: Pace, expected) => {
    const { document } = config.podBootstrap;
    const clusterTrustBundle = { name: 'ca', resyncInterval };
    const podBootstrap = { document: { ...document, clusterTrustBundle }, restart };
    await using world = await emulate({ ...story, config: { podBootstrap } });
    await world.settle();
    const before = passesIn(world);
    await world.advance(3_600_000);
    await world.settle();
    // An hour, and the period's own jitter.
    const passes = passesIn(world) - before;
    expect(Math.abs(passes - 3_600 / expected)).toBeLessThanOrEqual(1 + 360 / expected);
  });

  it('evicts nobody while the webhook is away, and begins when it is there', async () => {
    await using world = await emulate(story);
    await world.delete('Lease gatehouse-system/one');
    await makePod(world, 'web-1', { isModified: false });
    await world.advance(600_000);
    expect(await pods(world)).toEqual(['web-1']);
    await world.apply([...surroundings]);
    await world.advance(30_000);
    expect(await pods(world)).toEqual([]);
  });

  it('evicts nobody whose replacement would lack its pull secret', async () => {
    const { document, restart } = config.podBootstrap;
    const availableFeatures = [...document.availableFeatures, pullSecretFeature];
    const given = { podBootstrap: { document: { availableFeatures }, restart } };
    await using world = await emulate({ ...story, config: given });
    await makePod(world, 'web-1', { isModified: false });
    await world.advance(600_000);
    expect(await pods(world)).toEqual(['web-1']);
    const metadata = { namespace: 'team-a', name: 'registry-credentials' };
    await world.apply({ apiVersion: 'v1', kind: 'Secret', metadata });
    await world.advance(360_000);
    // Of another type it has none of the platform's credentials.
    expect(await pods(world)).toEqual(['web-1']);
    await world.delete('Secret team-a/registry-credentials');
    await world.apply(pullSecret('team-a', 'any'));
    await world.advance(360_000);
    expect(await pods(world)).toEqual([]);
  });

  it('evicts who only has the marks of another pod, as a template does into which they were copied', async () => {
    await using world = await emulate(story);
    await makePod(world, 'web-1', { isModified: true, has: 'nothing' });
    await world.settle();
    expect(await pods(world)).toEqual([]);
    await makePod(world, 'web-2', { isModified: true, has: 'a part' });
    await world.advance(600_000);
    expect(await pods(world)).toEqual(['web-2']);
  });

  it('tries the same pod again and again where a budget is in the way', async () => {
    await using world = await emulate(story);
    await world.fail({ verb: 'create', kind: 'Pod', code: 429, times: 3 });
    await makePod(world, 'web-1', { isModified: false });
    await makePod(world, 'web-2', { isModified: false });
    await world.settle();
    const evictions = world.decisions().flatMap((each) => (each.kind === 'run' ? each.writes : []));
    expect(evictions.map(({ object, result }) => [object, result])).toEqual([
      ...Array.from({ length: 3 }, () => [evictions[0]?.object, 'busy']),
      [evictions[0]?.object, 'written'],
    ]);
  });

  it('never evicts who has come under the same name meanwhile', async () => {
    await using world = await emulate(story);
    await world.slow(5_000, { verb: 'create', kind: 'Pod' });
    await makePod(world, 'web-1', { isModified: false });
    await world.advance(1_000);
    await world.delete('Pod team-a/web-1');
    await makePod(world, 'web-1', { isModified: true });
    await world.settle();
    const writes = world.decisions().flatMap((each) => (each.kind === 'run' ? each.writes : []));
    expect(writes).toMatchObject([{ verb: 'evict', result: 'conflict' }]);
    expect(await pods(world)).toEqual(['web-1']);
  });

  it('measures what lacks something, and what was restarted', async () => {
    await using world = await missed('web-1', 'web-2');
    await world.advance(600_000);
    expect(world.reports().measures).toMatchObject({
      pod_bootstrap_missed: [{ labels: { namespace: 'team-a' }, value: 1 }],
      pod_bootstrap_restarted: [{ labels: { reason: 'missed' }, value: 1 }],
    });
  });

  it('measures what is stale, and what lacks what this very configuration has given it', async () => {
    await using world = await emulate({ ...story, functions: [surveyPods] });
    await makePod(world, 'stale', { isModified: true, configuration: 'older', has: 'a part' });
    await makePod(world, 'odd', { isModified: true, has: 'a part' });
    await makePod(world, 'good', { isModified: true });
    await world.advance(300_000);
    const namespace = 'team-a';
    expect(world.reports().measures).toMatchObject({
      pod_bootstrap_missed: [],
      pod_bootstrap_stale: [{ labels: { namespace, of: 'staleConfiguration' }, value: 1 }],
      pod_bootstrap_odd: [{ labels: { namespace }, value: 1 }],
      pod_bootstrap_skipped: [{ labels: { reason: 'not-wanted' }, value: 1 }],
    });
  });

  it('counts as restarted nobody whom a budget holds', async () => {
    await using world = await emulate({ ...story, functions: [restartPod, surveyPods] });
    await world.fail({ verb: 'create', kind: 'Pod', code: 429, times: 1_000 });
    await makePod(world, 'web-1', { isModified: false });
    await world.advance(700_000);
    expect(world.reports().measures).toMatchObject({ pod_bootstrap_restarted: [] });
  });

  it('says that a replacement does not become ready, of which owner', async () => {
    await using world = await missed('web-1', 'web-2');
    const [left = ''] = await pods(world);
    await world.advance(500_000);
    expect(await world.find('Event')).toEqual([]);
    await world.advance(1_200_000);
    const [event] = await world.find('Event');
    expect(event).toMatchObject({
      reason: 'PodRestartWaits',
      regarding: { kind: 'ReplicaSet', name: 'web', namespace: 'team-a' },
    });
    expect(event?.['note']).toContain(left === 'web-1' ? 'web-2' : 'web-1');
    const free = () =>
      world.reports().conditions.find(({ name }) => name === 'pod-restarts-free')?.holds;
    expect(free()).toBe(false);
    await makePod(world, 'new-1', { isModified: true });
    await makePod(world, 'new-2', { isModified: true });
    await world.advance(700_000);
    expect(free()).toBe(true);
  });

  it('says which pods nobody would make anew', async () => {
    await using world = await emulate({ ...story, functions: [surveyPods] });
    const metadata = { name: 'alone', namespace: 'team-a' };
    const spec = { containers: [{ name: 'a', image: 'a:1' }] };
    await world.apply({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
    await world.settle();
    await world.advance(300_000);
    const [event] = await world.find('Event');
    expect(event).toMatchObject({ reason: 'PodsNotRestartable', regarding: { name: 'team-a' } });
    expect(event?.['note']).toContain('alone');
    expect(world.reports().measures['pod_bootstrap_skipped']).toEqual([
      { labels: { reason: 'orphan' }, value: 1 },
    ]);
  });

  it('comes to the same end whatever goes wrong', async () => {
    const restartsPods = new URL(
      '../../../functions/pod-bootstrap/restart-pod.ts',
      import.meta.url,
    );
    const { cases } = await everyFault({
      ...story,
      objects: [...surroundings, { ...replicaSet, spec: { replicas: 2 } }],
      functions: [restartsPods, replacePod],
      steps: {
        'two pods are missed': async (world) => {
          await world.delete('Lease gatehouse-system/one');
          await makePod(world, 'web-1', { isModified: false });
          await makePod(world, 'web-2', { isModified: false });
        },
        'the webhook is there, and a pass finds that out': async (world) => {
          await world.apply([...surroundings]);
          await world.advance(600_000);
        },
      },
    });
    expect(cases).toBeGreaterThan(80);
  }, 60_000);
});
