import { describe, expect, it } from 'vitest';
import restartPod from '#functions/pod-bootstrap/restart-pod.ts';
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
import { later } from '#shared/domain/outcome.ts';
import { configurationOf } from '#shared/domain/pod-bootstrap/configuration.ts';
import { configurationName } from '#shared/domain/pod-bootstrap/housekeeping/house.ts';
import type { Cluster } from '#shared/ports.ts';
import { runOnce } from '#shared/runtime/reconcile.ts';
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
function stage(restart: object = {}, owners: readonly KubeObject[] = six.map(ownerOf)) {
  const clock = clockAt('2030-01-01T12:00:00Z');
  const all = six.map(missed);
  const mirror = mirrorInMemory();
  for (const pod of all) mirror.put(pods, pod);
  const given = {
    ...{ clock, mirror },
    settings: settingsFixed({
      podBootstrap: {
        ...config.podBootstrap,
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
  const run = (through: Cluster = cluster) =>
    runOnce(restartPod, wake, running({ ...given, cluster: through }));
  return { ...given, cluster, run };
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

  it('says that nothing is hindered where it is paused', async () => {
    const on = stage({ mode: 'paused' });
    await on.run();
    expect(whys(on)).toEqual([]);
    expect(on.conditions.find('pod-restarts-free')).toMatchObject({ holds: true });
    expect(on.cluster.objects(pods)).toHaveLength(6);
  });
});
