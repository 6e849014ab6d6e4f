import { describe, expect, it } from 'vitest';
import restartPod from '#functions/pod-bootstrap/restart-pod.ts';
import surveyPods from '#functions/pod-bootstrap/survey-pods.ts';
import { bootstrapDocumentsInMemory } from '#infra/emulator/testing/bootstrap-documents-in-memory.ts';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { eventsRecorded } from '#infra/emulator/testing/events-recorded.ts';
import { measuresRecorded } from '#infra/emulator/testing/measures-recorded.ts';
import { mirrorInMemory } from '#infra/emulator/testing/mirror-in-memory.ts';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import { restartsInMemory } from '#infra/emulator/testing/restarts-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { leases, pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { done, later } from '#shared/domain/outcome.ts';
import { configurationOf } from '#shared/domain/pod-bootstrap/configuration.ts';
import { configurationName } from '#shared/domain/pod-bootstrap/housekeeping/house.ts';
import { marks } from '#shared/domain/pod-bootstrap/provenance.ts';
import type { Cluster, Mirror, Restarts } from '#shared/ports.ts';
import { runOnce } from '#shared/runtime/reconcile.ts';
import { campaignOf } from '#test/contracts/restarts.ts';
import { stored } from '#test/shared/domain/pod-bootstrap/housekeeping/samples.ts';
import { running } from '#test/support/running.ts';
import { config, surroundings } from './housekeeping-world.ts';

function missed(at: number): KubeObject {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `app-${at}`, uid: `rs-${at}` };
  const metadata = { uid: `pod-${at}`, name: `app-${at}-1`, labels: { app: `app-${at}` } };
  return stored({ metadata: { ...metadata, ownerReferences: [{ ...owner, controller: true }] } });
}

function ownerOf(at: number): KubeObject {
  const metadata = { name: `app-${at}`, namespace: 'team-a', uid: `rs-${at}` };
  return { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec: {} };
}

const six = [0, 1, 2, 3, 4, 5];

/** Six owners, each with a pod that was missed. */
function stage(
  restart: object = {},
  owners: readonly KubeObject[] = six.map(ownerOf),
  all: readonly KubeObject[] = six.map(missed),
  own: { readonly document?: typeof config.podBootstrap.document } = config.podBootstrap,
) {
  const clock = clockAt('2030-01-01T12:00:00Z');
  const mirror = mirrorInMemory();
  for (const pod of all) mirror.put(pods, pod);
  const given = {
    ...{ clock, mirror },
    settings: settingsFixed({
      podBootstrap: {
        ...(own.document && { document: own.document }),
        restart: { ...config.podBootstrap.restart, ...restart },
      },
    }),
    bootstrapDocument: bootstrapDocumentsInMemory(),
    namespaces: namespacesInMemory({ name: 'team-a' }),
    restarts: restartsInMemory({ now: () => clock.now().getTime() }),
    events: eventsRecorded(),
    conditions: conditionsRecorded(),
    measures: measuresRecorded(),
  };
  const cluster = clusterInMemory(...(surroundings as readonly KubeObject[]), ...owners, ...all);
  const wake = { kind: 'period', function: 'restart-pod' } as const;
  const run = (through: Cluster = cluster, seen: Mirror = mirror) =>
    runOnce(restartPod, wake, running({ ...given, cluster: through, mirror: seen }));
  const survey = (through: Mirror) =>
    runOnce(
      surveyPods,
      { kind: 'period', function: 'survey-pods' },
      running({ ...given, mirror: through }),
    );
  return { ...given, cluster, run, survey };
}

/** One of its pods is such that looking at it fails. */
function trapped({ list, ...mirror }: Mirror, uid: string): Mirror {
  const trap = (object: KubeObject) =>
    object.metadata.uid === uid
      ? Object.defineProperty({ ...object }, 'spec', {
          get() {
            throw new Error('nobody has thought of this');
          },
        })
      : object;
  return {
    ...mirror,
    async list(...asked) {
      const found = await list(...asked);
      return { ...found, objects: mapped(found.objects, trap) };
    },
  };
}

/** Each pass when the one before has said; how many there were. */
async function follow(
  on: ReturnType<typeof stage>,
  seconds: number,
  cluster: Cluster = on.cluster,
  mirror: Mirror = on.mirror,
): Promise<number> {
  const endMs = on.clock.now().getTime() + seconds * 1_000;
  for (let passes = 0; ; passes += 1) {
    const outcome = await on.run(cluster, mirror);
    const afterMs = outcome.kind === 'later' ? outcome.afterSeconds * 1_000 : 600_000;
    const leftMs = endMs - on.clock.now().getTime();
    on.clock.advanceMs(Math.min(afterMs, leftMs));
    if (afterMs >= leftMs) return passes + 1;
  }
}

function unserved(cluster: Cluster): Cluster {
  const list: Cluster['list'] = (kind, options) =>
    cluster.list(kind, kind === leases ? { namespace: 'nowhere' } : options);
  return { ...cluster, list };
}

async function trip(restarts: Restarts, owner: string): Promise<void> {
  await restarts.intend(campaignOf({ owner }), { revision: 0, pauseMs: 1_000 });
  await restarts.settle(owner, { state: 'tripped', revision: 1 });
}

async function* mapped<T>(all: AsyncIterable<T>, change: (each: T) => T): AsyncGenerator<T> {
  for await (const each of all) yield change(each);
}

const whys = ({ measures }: ReturnType<typeof stage>) =>
  measures.find('pod_bootstrap_hindered')?.map(({ labels, value }) => [labels['why'], value]);

describe('a pass of restart-pod', () => {
  it('ends at the first that hears that nobody can go', async () => {
    const on = stage();
    let asked = 0;
    const list: Cluster['list'] = (kind, options) => {
      if (kind === leases) asked += 1;
      return on.cluster.list(kind, kind === leases && asked > 2 ? { namespace: 'x' } : options);
    };
    expect(await on.run({ ...on.cluster, list })).toEqual(later(30));
    expect(asked).toBe(3);
    expect(whys(on)).toEqual([['webhook', 1]]);
    expect(on.cluster.objects(pods)).toHaveLength(5);
  });

  it('ends before its deadline, and goes on soon', async () => {
    const on = stage();
    const evict: Cluster['evict'] = async (...to) => {
      on.clock.advanceMs(60_000);
      return on.cluster.evict(...to);
    };
    expect(await on.run({ ...on.cluster, evict })).toEqual(later(30));
    expect(on.cluster.objects(pods)).toHaveLength(4);
  });

  it.each(['__proto__', 'constructor'])(
    'goes on where a pod is marked with %s',
    async (feature) => {
      const [first = missed(0), ...rest] = six.map(missed);
      const stated = JSON.stringify({ features: [feature], configuration: 'x' });
      const metadata = { ...first.metadata, annotations: { [marks.provenance]: stated } };
      const on = stage({}, six.map(ownerOf), [{ ...first, metadata }, ...rest]);
      await on.run();
      expect(whys(on)).toEqual([['turn', 5]]);
      expect(on.cluster.objects(pods)).toHaveLength(5);
      expect(await on.survey(on.mirror)).toEqual(done);
      expect(on.measures.find('pod_bootstrap_missed')?.map(({ value }) => value)).toEqual([6]);
    },
  );

  it('goes on where a pod cannot be judged, and tells of it', async () => {
    const on = stage();
    const mirror = trapped(on.mirror, 'pod-0');
    await on.run(on.cluster, mirror);
    expect(whys(on)).toEqual(
      expect.arrayContaining([
        ['failed', 1],
        ['turn', 4],
      ]),
    );
    expect(on.cluster.objects(pods)).toHaveLength(5);
    expect(on.conditions.find('pod-restarts-free')).toMatchObject({
      holds: false,
      why: expect.stringContaining('pod team-a/app-0-1 cannot be judged'),
    });
    expect(await on.survey(mirror)).toEqual(done);
    expect(on.measures.find('pod_bootstrap_missed')?.map(({ value }) => value)).toEqual([5]);
    expect(on.measures.find('pod_bootstrap_skipped')).toEqual([
      { labels: { reason: 'unjudged' }, value: 1 },
    ]);
  });

  const others = six.map(ownerOf).map((each) => ({
    ...each,
    metadata: { ...each.metadata, uid: 'another' },
  }));
  it.each([
    ['are gone', []],
    ['are others of their names', others],
  ])('evicts nobody whose owners %s', async (_, owners) => {
    const on = stage({}, owners);
    await on.run();
    expect(whys(on)).toEqual([['orphan', 6]]);
    expect(on.cluster.objects(pods)).toHaveLength(6);
  });

  it('evicts nobody until all replicas may know of another configuration', async () => {
    const on = stage({ configurationSettle: '2m' });
    const left = () => on.cluster.objects(pods).length;
    const { podBootstrap } = on.settings.current();
    const { hash } = configurationOf(podBootstrap.document, podBootstrap);
    await on.restarts.ageMs(configurationName, hash);
    on.clock.advanceMs(3_600_000);
    // Somebody has seen another one meanwhile, and this one has just come back.
    await on.restarts.ageMs(configurationName, 'another');
    expect([await on.run(), whys(on), left()]).toEqual([later(120), [['configuration-new', 1]], 6]);
    on.clock.advanceMs(119_000);
    expect([await on.run(), left()]).toEqual([later(30), 6]);
    on.clock.advanceMs(1_000);
    await on.run();
    expect(left()).toBe(5);
  });

  it('evicts nobody while the document in the cluster is bad: who starts the webhook anew has none', async () => {
    const on = stage({}, six.map(ownerOf), six.map(missed), {});
    const text = (document: object) => JSON.stringify({ overrides: {}, ...document });
    const { document } = config.podBootstrap;
    on.bootstrapDocument.write(text(document));
    on.bootstrapDocument.write('{');
    expect([await on.run(), whys(on)]).toEqual([later(30), [['document', 1]]]);
    expect(on.cluster.objects(pods)).toHaveLength(6);
    expect(on.conditions.find('pod-restarts-free')).toMatchObject({
      holds: false,
      why: expect.stringContaining('document'),
    });
    on.bootstrapDocument.write(text(document));
    await on.run();
    expect(on.cluster.objects(pods)).toHaveLength(5);
  });

  it('says that nobody can go, and that they can again, though others stand in line', async () => {
    const on = stage({ perMinute: 1, jitterPercent: 0 });
    const holds = () => on.conditions.find('pod-restarts-free')?.holds;
    await on.run();
    on.clock.advanceMs(10_000);
    await on.run();
    on.clock.advanceMs(2_000);
    expect([await on.run(unserved(on.cluster)), holds()]).toEqual([later(30), false]);
    await follow(on, 60);
    expect(holds()).toBe(true);
    expect((await on.restarts.listUnsettled()).length).toBeGreaterThan(3);
  });

  it('tries again within a minute whom a budget has refused, though others stand in line', async () => {
    const on = stage({ perMinute: 1, jitterPercent: 0 });
    let refused = '';
    const evict: Cluster['evict'] = async (target, options) => {
      if (refused !== '') return on.cluster.evict(target, options);
      refused = options?.uid ?? '';
      return { kind: 'busy', why: 'a budget', afterSeconds: 10 };
    };
    await on.run({ ...on.cluster, evict });
    const owner = refused.replace('pod', 'rs');
    const turn = async () => (await on.restarts.find(owner, 'team-a'))?.turnInMs;
    expect(await turn()).toBeUndefined();
    await follow(on, 60);
    expect(await turn()).toBeGreaterThan(0);
  });

  it('leaves to the passes over all, of which two or three are in a minute, who is hindered alone in a line', async () => {
    const web = { apiVersion: 'apps/v1', kind: 'ReplicaSet', spec: {} };
    const metadata = { name: 'web', namespace: 'team-a', uid: 'tripped' };
    const owners = [...six.map(ownerOf), { ...web, metadata }];
    const on = stage({ perMinute: 60, jitterPercent: 0 }, owners);
    await on.run();
    await trip(on.restarts, 'tripped');
    for (let at = 0; at < 120; at += 1)
      await on.restarts.intend(campaignOf({ owner: `ghost-${at}`, namespace: 'team-b' }), {
        ...{ revision: 0, pauseMs: 1_000 },
      });
    const asked = new Map<string, number>();
    const find: Cluster['find'] = (target) => {
      asked.set(target.name, (asked.get(target.name) ?? 0) + 1);
      return on.cluster.find(target);
    };
    let whole = 0;
    const list: Mirror['list'] = (kind, options) => {
      if (options?.namespace === undefined) whole += 1;
      return on.mirror.list(kind, options);
    };
    const passes = await follow(on, 60, { ...on.cluster, find }, { ...on.mirror, list });
    expect(passes).toBeGreaterThan(50);
    expect(whole).toBeGreaterThanOrEqual(2);
    expect(whole).toBeLessThanOrEqual(3);
    const ofApps = six.map((at) => asked.get(`app-${at}`) ?? 0);
    // In its turn, which is kept for two seconds, and in each pass over all.
    expect(Math.max(...ofApps)).toBeLessThanOrEqual(3 + 3);
    expect(Object.fromEntries(whys(on) ?? [])).toMatchObject({ breaker: 5 });
  });

  it('says that it is paused', async () => {
    const on = stage({ mode: 'paused' });
    await on.run();
    expect(whys(on)).toEqual([['paused', 1]]);
    expect(on.conditions.find('pod-restarts-free')).toMatchObject({
      holds: false,
      why: expect.stringContaining('paused'),
    });
    expect(on.cluster.objects(pods)).toHaveLength(6);
  });

  it('says nothing of a pause where nothing is done to pods', async () => {
    const on = stage({ mode: 'paused' }, [], [], {});
    await on.run();
    expect(whys(on)).toEqual([]);
    expect(on.conditions.find('pod-restarts-free')).toMatchObject({ holds: true });
  });
});
