import { describe, expect, it } from 'vitest';
import type { PeriodElapsed } from '#events/kinds.ts';
import reportStrays from '#functions/node-affinity/report-strays.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { eventsRecorded } from '#infra/emulator/testing/events-recorded.ts';
import { measuresRecorded } from '#infra/emulator/testing/measures-recorded.ts';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import { nodesInMemory } from '#infra/emulator/testing/nodes-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { namespaces as namespaceKind, pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { done } from '#shared/domain/outcome.ts';
import type { Cluster } from '#shared/ports.ts';
import { poolLabel } from '#test/support/placed-pod.ts';

const wake: PeriodElapsed = { kind: 'period', function: 'report-strays' };
const kyma = { 'operator.kyma-project.io/managed-by': 'kyma' };
const poolNode = { name: 'in-pool', labels: { [poolLabel]: 'cpu-worker-0' } };
const otherNode = { name: 'outside', labels: { [poolLabel]: 'other' } };

type Stated = {
  readonly metadata?: JsonObject;
  readonly spec?: JsonObject;
  readonly phase?: string;
};

function podIn(namespace: string, name: string, stated: Stated = {}): KubeObject {
  const { metadata = {}, spec = {}, phase = 'Running' } = stated;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, ...metadata },
    spec: { nodeName: 'outside', containers: [{ name: 'app', image: 'nginx' }], ...spec },
    status: { phase },
  } as KubeObject;
}

function given(objects: readonly KubeObject[], nodeAffinity = {}) {
  const namespaces = namespacesInMemory(
    { name: 'team-a', labels: kyma },
    { name: 'team-b', labels: kyma },
    { name: 'kube-system', labels: kyma },
    { name: 'default' },
  );
  return {
    settings: settingsFixed({ nodeAffinity }),
    nodes: nodesInMemory(poolNode, otherNode),
    namespaces,
    cluster: clusterInMemory(...objects),
    measures: measuresRecorded(),
    events: eventsRecorded(),
  };
}

const strays = 'node_affinity_strays';

describe('report-strays', () => {
  it('counts the managed pods outside of the pool, by namespace, and says which', async () => {
    const ports = given([
      podIn('team-a', 'web-1'),
      podIn('team-a', 'web-2'),
      podIn('team-a', 'home', { spec: { nodeName: 'in-pool' } }),
      podIn('team-b', 'home', { spec: { nodeName: 'in-pool' } }),
      podIn('default', 'not-managed'),
      podIn('kube-system', 'excluded'),
    ]);
    expect(await reportStrays.handler(wake, ports)).toEqual(done);

    expect(ports.measures.find(strays)).toEqual([
      { labels: { namespace: 'team-a' }, value: 2 },
      { labels: { namespace: 'team-b' }, value: 0 },
    ]);
    expect(ports.events.list()).toEqual([
      {
        regarding: { kind: namespaceKind, name: 'team-a', uid: 'uid-of-team-a' },
        type: 'Warning',
        reason: 'PodsOutsideNodePool',
        note: '2 managed pods run outside the node pool cpu-worker-0: web-1, web-2. A running pod is never moved; made anew, it prefers the pool.',
        count: 1,
      },
    ]);
  });

  const owner = (kind: string, controller = true) => ({
    metadata: { ownerReferences: [{ apiVersion: 'v1', kind, name: 'x', uid: 'y', controller }] },
  });
  it.each<[string, Stated, number]>([
    ['runs on a node that is gone', { spec: { nodeName: 'gone' } }, 1],
    ['belongs to a ReplicaSet', owner('ReplicaSet'), 1],
    ['belongs to a DaemonSet', owner('DaemonSet'), 0],
    ['is owned, but not made, by a DaemonSet', owner('DaemonSet', false), 1],
    ['mirrors a file of the kubelet', owner('Node'), 0],
    ['is pending', { phase: 'Pending' }, 0],
    ['has ended', { phase: 'Succeeded' }, 0],
    ['has no node yet', { spec: { nodeName: '' } }, 0],
    ['is going', { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } }, 0],
    ['selects another pool', { spec: { nodeSelector: { [poolLabel]: 'other' } } }, 0],
    ['says leave-alone', { metadata: { annotations: { 'x.io/leave-alone': 'true' } } }, 0],
    ['says leave-alone: false', { metadata: { annotations: { 'x.io/leave-alone': 'false' } } }, 1],
    ['has lists that are null', { metadata: { ownerReferences: null, annotations: null } }, 1],
    ['cannot be read', { spec: { affinity: 'later version' } }, 0],
  ])('judges a pod that %s', async (_, stated, value) => {
    const ports = given([podIn('team-a', 'web', stated)], { optOutAnnotation: 'x.io/leave-alone' });
    await reportStrays.handler(wake, ports);
    expect(ports.measures.find(strays)?.[0]).toEqual({ labels: { namespace: 'team-a' }, value });
    expect(ports.events.list()).toHaveLength(value);
  });

  it('says nothing while the pool has no node, and takes back what it said', async () => {
    const ports = given([podIn('team-a', 'web')]);
    await reportStrays.handler(wake, ports);
    expect(ports.measures.find(strays)).toHaveLength(2);

    ports.nodes.remove('in-pool');
    expect(await reportStrays.handler(wake, ports)).toEqual(done);
    expect(ports.measures.find(strays)).toEqual([]);
    expect(ports.events.list()).toMatchObject([{ count: 1 }]);
  });

  it('counts more than a page, and names the first few', async () => {
    const many = Array.from({ length: 1_203 }, (_, index) =>
      podIn('team-a', `web-${1_000 + index}`),
    );
    const ports = given(many);
    await reportStrays.handler(wake, ports);
    expect(ports.measures.find(strays)?.[0]?.value).toBe(1_203);
    expect(ports.events.list()[0]?.note).toBe(
      '1203 managed pods run outside the node pool cpu-worker-0: web-1000, web-1001, web-1002, web-1003, web-1004 and 1198 more. A running pod is never moved; made anew, it prefers the pool.',
    );
  });

  it('says the same the second time, and at the same time', async () => {
    const ports = given([podIn('team-a', 'web')]);
    await Promise.all([reportStrays.handler(wake, ports), reportStrays.handler(wake, ports)]);
    await reportStrays.handler(wake, ports);
    expect(ports.measures.find(strays)?.[0]?.value).toBe(1);
    expect(ports.events.list()).toMatchObject([{ count: 3 }]);
  });

  it('goes by what is there now: a pod that went and one made anew in the pool', async () => {
    const ports = given([podIn('team-a', 'gone'), podIn('team-a', 'anew')]);
    const of = (name: string) => ({ kind: pods, namespace: 'team-a', name });
    await reportStrays.handler(wake, ports);
    await ports.cluster.delete(of('gone'));
    await ports.cluster.delete(of('anew'));
    await ports.cluster.create(pods, podIn('team-a', 'anew', { spec: { nodeName: 'in-pool' } }));

    await reportStrays.handler(wake, ports);
    expect(ports.measures.find(strays)?.[0]?.value).toBe(0);
  });

  it('drops a namespace that is managed no longer', async () => {
    const ports = given([podIn('team-a', 'web')]);
    ports.namespaces.put({ name: 'team-a', labels: {} });
    await reportStrays.handler(wake, ports);
    expect(ports.measures.find(strays)).toEqual([{ labels: { namespace: 'team-b' }, value: 0 }]);
    expect(ports.events.list()).toEqual([]);
  });

  it('asks for running pods only, of one managed namespace at a time, and may do no more', async () => {
    const ports = given([]);
    const asked: unknown[] = [];
    const list: Cluster['list'] = (kind, options) => {
      asked.push([kind.resource, options]);
      return ports.cluster.list(kind, options);
    };
    await reportStrays.handler(wake, { ...ports, cluster: { ...ports.cluster, list } });
    expect(asked).toEqual([
      ['pods', { namespace: 'team-a', fields: 'status.phase=Running' }],
      ['pods', { namespace: 'team-b', fields: 'status.phase=Running' }],
    ]);
    expect(reportStrays.access).toEqual([{ kind: pods, verbs: ['list'] }]);
  });

  it('leaves an outage to the loop, and keeps the report that stands', async () => {
    const ports = given([podIn('team-a', 'web')]);
    await reportStrays.handler(wake, ports);
    const nodes = { list: () => Promise.reject(new Error('nodes is forbidden')) };
    await expect(reportStrays.handler(wake, { ...ports, nodes })).rejects.toThrow('forbidden');
    expect(ports.measures.find(strays)).toHaveLength(2);
  });
});
