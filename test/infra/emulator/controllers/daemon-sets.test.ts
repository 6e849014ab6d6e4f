import { describe, expect, it } from 'vitest';
import { daemonStatus, planDaemons } from '#infra/emulator/controllers/daemon-sets/plan-daemons.ts';
import type { Thing } from '#infra/emulator/controllers/shapes/meta.ts';
import type { Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import type { DaemonSet } from '#infra/emulator/controllers/shapes/workload.ts';
import { ended, metaOf, node, now, pod, ready, templateOf, unready } from './making.ts';

const names = (pods: readonly Thing[]) => pods.map(({ metadata }) => metadata.name);

describe('a daemon set', () => {
  const daemons = (spec: Partial<DaemonSet['spec']> = {}): DaemonSet => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: metaOf('agent'),
    spec: { selector: {}, template: templateOf('app:2'), ...spec },
  });
  const taint = (effect: string) => ({ spec: { taints: [{ key: 'only', effect }] } });
  const nodes = [
    node('a'),
    node('b'),
    node('keeps-out', taint('NoSchedule')),
    node('cordoned', {
      spec: {
        unschedulable: true,
        taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
      },
    }),
  ];
  const on = (nodeName: string, revision = 'new', status = ready): Pod =>
    pod(`on-${nodeName}`, {
      spec: { nodeName },
      metadata: { labels: { 'controller-revision-hash': revision } },
      status,
    });
  const planned = (of: DaemonSet, pods: readonly Pod[]) => {
    const { create, remove } = planDaemons(of, { pods, nodes, revision: 'new', now });
    return { create, remove: names(remove) };
  };

  it.each<[string, DaemonSet, Pod[], object]>([
    [
      'runs on each node that it stands, cordoned or not',
      daemons(),
      [on('a')],
      { create: ['b', 'cordoned'], remove: [] },
    ],
    [
      'is not driven away by a taint that only keeps out',
      daemons(),
      [on('a'), on('b'), on('cordoned'), on('keeps-out')],
      { create: [], remove: [] },
    ],
    [
      'leaves nodes that are no more',
      daemons(),
      [on('a'), on('b'), on('cordoned'), on('gone')],
      { remove: ['on-gone'] },
    ],
    [
      'replaces a pod that has ended',
      daemons(),
      [on('a', 'new', ended('Failed')), on('b'), on('cordoned')],
      { remove: ['on-a'] },
    ],
    [
      'updates one at a time',
      daemons(),
      [on('a', 'old'), on('b', 'old'), on('cordoned', 'old')],
      { remove: ['on-a'] },
    ],
    [
      'updates as many as may be missing',
      daemons({ updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } }),
      [on('a', 'old'), on('b', 'old'), on('cordoned', 'old')],
      { remove: ['on-a', 'on-b'] },
    ],
    [
      'waits while one is missing',
      daemons(),
      [on('a', 'new', unready), on('b', 'old'), on('cordoned', 'old')],
      { remove: [] },
    ],
    [
      'updates nothing by itself where it may not',
      daemons({ updateStrategy: { type: 'OnDelete' } }),
      [on('a', 'old'), on('b'), on('cordoned')],
      { remove: [] },
    ],
  ])('%s', (_, of, pods, expected) => {
    expect(planned(of, pods)).toMatchObject(expected);
  });

  it('counts its nodes', () => {
    const pods = [on('a'), on('b', 'old', unready), on('keeps-out')];
    expect(daemonStatus(daemons(), { pods, nodes, revision: 'new', now })).toMatchObject({
      ...{ desiredNumberScheduled: 3, currentNumberScheduled: 2, numberMisscheduled: 1 },
      ...{ numberReady: 1, updatedNumberScheduled: 1, numberAvailable: 1, numberUnavailable: 2 },
    });
  });
});
