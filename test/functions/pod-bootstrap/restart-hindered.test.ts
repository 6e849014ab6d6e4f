import { describe, expect, it } from 'vitest';
import restartPod from '#functions/pod-bootstrap/restart-pod.ts';
import surveyPods from '#functions/pod-bootstrap/survey-pods.ts';
import { emulate } from '#infra/emulator/world/emulate.ts';
import type { Stated } from '#infra/emulator/world/manifest.ts';
import type { World } from '#infra/emulator/world/world.ts';
import { secretName, pullSecret as secretOf } from '#test/support/pull-secret.ts';
import { config, makePod, ownerNamed, surroundings } from './housekeeping-world.ts';

const story = { functions: [restartPod], objects: [...surroundings], config };

async function living(world: World): Promise<readonly string[]> {
  return (await world.find('Pod')).map(({ metadata }) => metadata.name ?? '').toSorted();
}

function runsOf(world: World): number {
  return world.decisions().filter((each) => each.kind === 'run').length;
}

function hindered(world: World) {
  const measured = world.reports().measures['pod_bootstrap_hindered'] ?? [];
  return Object.fromEntries(measured.map(({ labels, value }) => [labels['why'], value]));
}

function condition(world: World, name: string) {
  return world.reports().conditions.find((each) => each.name === name);
}

/** Made while nobody serves. */
async function withOwners(count: number): Promise<World> {
  const world = await emulate(story);
  await world.delete('Lease gatehouse-system/one');
  for (let at = 0; at < count; at += 1) {
    const owner = ownerNamed(`app-${at}`);
    await world.apply(owner);
    await makePod(world, `app-${at}-1`, { isModified: false, owner });
  }
  return world;
}

const stateful = ownerNamed('db', { kind: 'StatefulSet' });

describe('an owner that has no pod between the old one and the new', () => {
  it('trips when its only pod came back as it was, and forgets nothing meanwhile', async () => {
    await using world = await emulate({ ...story, functions: [restartPod, surveyPods] });
    await world.apply(stateful);
    for (const expected of ['evicted', 'tripped']) {
      await makePod(world, 'db-0', { isModified: false, owner: stateful });
      await world.settle();
      expect([expected, await living(world)]).toEqual([
        expected,
        expected === 'evicted' ? [] : ['db-0'],
      ]);
      await world.advance(1_300_000);
    }
    const said = (await world.find('Event')).map(({ reason }) => reason);
    // Nothing came for it for twenty minutes.
    expect(said.toSorted()).toEqual(['PodRestartWaits', 'PodRestartsStopped']);
    await world.delete('Pod team-a/db-0');
    await world.settle();
    await makePod(world, 'db-0', { isModified: false, owner: stateful });
    await world.advance(300_000);
    expect(await living(world)).toEqual(['db-0']);
  });

  it('is done with where it wants none any more, or is gone', async () => {
    await using world = await emulate({ ...story, functions: [restartPod, surveyPods] });
    await world.apply(stateful);
    await makePod(world, 'db-0', { isModified: false, owner: stateful });
    await world.settle();
    await world.delete('StatefulSet team-a/db');
    await world.advance(1_300_000);
    expect(hindered(world)).toEqual({});
  });
});

describe('a pod of a controller', () => {
  const web = { ...ownerNamed('web'), spec: { replicas: 2 } };

  it('that is about to go stays, and is told of', async () => {
    await using world = await emulate(story);
    await world.apply({ ...web, metadata: { ...web.metadata, finalizers: ['example.com/held'] } });
    await world.delete('ReplicaSet team-a/web');
    await makePod(world, 'web-1', { isModified: false });
    await world.advance(700_000);
    expect(await living(world)).toEqual(['web-1']);
    expect(hindered(world)).toEqual({ orphan: 1 });
  });

  it('of another namespace is not believed, and stops nothing there', async () => {
    await using world = await emulate(story);
    await world.apply([web, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-b' } }]);
    await makePod(world, 'web-1', { isModified: false, owner: web });
    await makePod(world, 'web-2', { isModified: false, owner: web });
    await world.settle();
    const [left] = await living(world);

    const { uid = '' } = (await world.find('ReplicaSet team-a/web'))?.metadata ?? {};
    const forged = ownerNamed('web', { namespace: 'team-b' });
    await makePod(world, 'forged', { isModified: false, owner: forged, uid });
    await world.advance(700_000);
    // The campaign goes on as it was: the next one waits for the replacement of the first.
    expect(await living(world)).toEqual(['forged', left]);
    await makePod(world, 'new-1', { isModified: true, owner: web });
    await world.settle();
    expect(await living(world)).toEqual(['forged', 'new-1']);
    expect(await world.find('Event')).toEqual([]);
  });
});

describe('a trip', () => {
  it('may begin once more after the pause, and never again', async () => {
    await using world = await emulate(story);
    await world.apply(stateful);
    for (const left of [[], ['db-0']]) {
      await makePod(world, 'db-0', { isModified: false, owner: stateful });
      await world.settle();
      expect(await living(world)).toEqual(left);
    }
    await world.advance(3_600_000);
    expect(await living(world)).toEqual([]);
    await makePod(world, 'db-0', { isModified: false, owner: stateful });
    await world.advance(4 * 3_600_000);
    expect(await living(world)).toEqual(['db-0']);
  });

  it('stops its own namespace, and all of them where another one trips as well', async () => {
    await using world = await emulate(story);
    const places = ['team-a', 'team-b', 'team-c'];
    for (const name of places) {
      await world.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    const trip = async (namespace: string) => {
      const owner = ownerNamed('db', { kind: 'StatefulSet', namespace });
      await world.apply(owner);
      for (const _ of [1, 2]) {
        await makePod(world, 'db-0', { isModified: false, owner });
        await world.settle();
      }
    };
    const another = async (name: string, namespace: string) => {
      const owner = ownerNamed(name, { namespace });
      await world.apply(owner);
      await makePod(world, `${name}-1`, { isModified: false, owner });
      await world.settle();
    };
    await trip('team-a');
    await another('same', 'team-a');
    await another('elsewhere', 'team-c');
    expect(await living(world)).toEqual(['db-0', 'same-1']);
    await trip('team-b');
    await another('later', 'team-c');
    expect(await living(world)).toEqual(['db-0', 'db-0', 'later-1', 'same-1']);
  });
});

describe('what hinders all', () => {
  it('is asked about once, and by time alone', async () => {
    await using world = await withOwners(20);
    await world.advance(600_000);
    const before = runsOf(world);
    await world.advance(1_800_000);
    expect(runsOf(world) - before).toBeLessThanOrEqual(61);
    expect(await living(world)).toHaveLength(20);
    expect(hindered(world)).toEqual({ webhook: 1 });
    expect(condition(world, 'pod-restarts-free')).toMatchObject({
      holds: false,
      why: expect.stringContaining('no replica serves'),
    });
    await world.apply([...surroundings]);
    await world.advance(90_000);
    expect(await living(world)).toHaveLength(0);
  });

  it('is a replica that has not renewed for three times', async () => {
    await using world = await emulate(story);
    const lease = surroundings.find(({ kind }) => kind === 'Lease');
    const renewTime = new Date(world.now().getTime() - 20_000).toISOString().replace('Z', '000Z');
    await world.apply({ ...lease, spec: { renewTime, leaseDurationSeconds: 60 } } as Stated);
    const owner = ownerNamed('web');
    await world.apply(owner);
    await makePod(world, 'web-1', { isModified: false, owner });
    await world.advance(60_000);
    expect(await living(world)).toEqual(['web-1']);
  });
});

describe('the rate', () => {
  it('is kept when what hindered is gone, whoever had drawn a turn before', async () => {
    const { podBootstrap } = config;
    const restart = { ...podBootstrap.restart, perMinute: 60, jitterPercent: 0 };
    await using world = await emulate({
      ...story,
      config: { podBootstrap: { ...podBootstrap, restart } },
    });
    for (let at = 0; at < 20; at += 1) {
      const owner = ownerNamed(`app-${at}`);
      await world.apply(owner);
      await makePod(world, `app-${at}-1`, { isModified: false, owner });
    }
    await world.advance(3_000);
    await world.delete('Lease gatehouse-system/one');
    await world.advance(600_000);
    const before = await living(world);
    // All have drawn a turn, and most of them have passed.
    expect(before.length).toBeGreaterThan(14);
    await world.apply([...surroundings]);
    let left = before.length;
    let seconds = 0;
    for (; left > 0 && seconds < 90; seconds += 1) {
      await world.advance(1_000);
      const now = (await living(world)).length;
      expect(left - now).toBeLessThanOrEqual(1);
      left = now;
    }
    // A pass comes within 30 s; from there on it is one a second.
    expect(seconds).toBeLessThanOrEqual(30 + before.length + 5);
    expect(left).toBe(0);
  });
});

describe('what hinders one', () => {
  it('is no matter to the others, though asking for it fails', async () => {
    await using world = await withOwners(6);
    await world.advance(300_000);
    // Of a pod with two budgets the server says 500.
    await world.fail({ verb: 'create', kind: 'Pod', code: 500, times: 2 });
    await world.apply([...surroundings]);
    for (let at = 0; at < 120 && hindered(world)['failed'] === undefined; at += 1)
      await world.advance(1_000);
    expect(hindered(world)).toMatchObject({ failed: 1 });
    for (let at = 0; at < 20 && (await living(world)).length > 2; at += 1) await world.advance(100);
    expect((await living(world)).length).toBeLessThanOrEqual(2);
    await world.advance(300_000);
    expect(await living(world)).toHaveLength(0);
  });

  it.each([
    ['older', ['db-0'], { 'on-delete': 1 }],
    ['newest', [], {}],
  ])(
    'is that it is made anew only by hand, and not of the newest template: %s',
    async (template, left, told) => {
      await using world = await emulate(story);
      await world.apply({
        ...stateful,
        spec: { replicas: 1, updateStrategy: { type: 'OnDelete' } },
        status: { updateRevision: 'newest' },
      });
      const labels = { app: 'db', 'controller-revision-hash': template };
      await makePod(world, 'db-0', { isModified: false, owner: stateful, labels });
      await world.advance(700_000);
      expect(await living(world)).toEqual(left);
      expect(hindered(world)).toMatchObject(told);
    },
  );

  const pullSecret = 'rt-cfg.kyma-project.io/add-img-pull-secret';
  const { document, restart } = config.podBootstrap;
  const availableFeatures = [...document.availableFeatures, pullSecret];
  const withSecret = {
    ...story,
    config: { podBootstrap: { document: { availableFeatures }, restart } },
  };

  it('is a service account whose pods the API server refuses the secret, until it lists it', async () => {
    await using world = await emulate(withSecret);
    const metadata = {
      ...{ name: 'default', namespace: 'team-a' },
      annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' },
    };
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
    const [held, free] = [ownerNamed('web'), ownerNamed('free')];
    await world.apply([secretOf('team-a', 'any'), account, held, free]);
    await makePod(world, 'web-1', { isModified: false, owner: held });
    await makePod(world, 'free-1', { isModified: false, owner: free, optsOutOf: pullSecret });
    await world.advance(700_000);
    expect(await living(world)).toEqual(['web-1']);
    expect(hindered(world)).toMatchObject({ 'service-account': 1 });
    expect(condition(world, 'pod-restarts-free')).toMatchObject({
      holds: false,
      why: expect.stringContaining('service account team-a/default'),
    });

    await world.apply({ ...account, imagePullSecrets: [{ name: secretName }] });
    await world.advance(700_000);
    expect(await living(world)).toEqual([]);
  });

  it('is told of: a budget, and a secret that is not there', async () => {
    await using world = await emulate(withSecret);
    await world.apply(ownerNamed('web'));
    await makePod(world, 'web-1', { isModified: false, owner: ownerNamed('web') });
    await world.advance(700_000);
    expect(hindered(world)).toEqual({ 'pull-secret': 1 });
    expect(condition(world, 'pod-restarts-free')).toMatchObject({ holds: false });

    await world.apply(secretOf('team-a', 'any'));
    await world.fail({ verb: 'create', kind: 'Pod', code: 429, times: 1_000 });
    await world.advance(700_000);
    expect(hindered(world)).toEqual({ budget: 1 });
  });
});
