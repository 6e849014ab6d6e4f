import { describe, expect, it } from 'vitest';
import type { Thing } from '#infra/emulator/controllers/shapes/meta.ts';
import type { Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import type { StatefulSet } from '#infra/emulator/controllers/shapes/workload.ts';
import {
  planStateful,
  statefulStatus,
} from '#infra/emulator/controllers/stateful-sets/plan-stateful.ts';
import { ended, metaOf, now, pod, ready, templateOf, unready } from './making.ts';

const names = (pods: readonly Thing[]) => pods.map(({ metadata }) => metadata.name);

describe('a stateful set', () => {
  const stateful = (spec: Partial<StatefulSet['spec']> = {}): StatefulSet => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: metaOf('db'),
    spec: { replicas: 3, selector: {}, template: templateOf('app:2'), ...spec },
  });
  const member = (at: number, revision = 'new', status = ready): Pod =>
    pod(`db-${at}`, { metadata: { labels: { 'controller-revision-hash': revision } }, status });
  const planned = (of: StatefulSet, pods: readonly Pod[]) => {
    const { create, remove } = planStateful(of, { pods, updateRevision: 'new', now });
    return { create, remove: names(remove) };
  };

  it.each<[string, StatefulSet, Pod[], object]>([
    ['begins with the first', stateful(), [], { create: [0] }],
    [
      'waits for the one before',
      stateful(),
      [member(0, 'new', unready)],
      { create: [], remove: [] },
    ],
    ['goes on when that is ready', stateful(), [member(0)], { create: [1] }],
    [
      'begins with all where it may',
      stateful({ podManagementPolicy: 'Parallel' }),
      [],
      { create: [0, 1, 2] },
    ],
    [
      'fills a gap before anything else',
      stateful(),
      [member(0, 'old'), member(2, 'old')],
      { create: [1], remove: [] },
    ],
    [
      'shrinks from the end',
      stateful({ replicas: 1 }),
      [member(0), member(1), member(2)],
      { remove: ['db-2'] },
    ],
    [
      'updates from the end',
      stateful(),
      [member(0, 'old'), member(1, 'old'), member(2, 'old')],
      { remove: ['db-2'] },
    ],
    [
      'updates one at a time',
      stateful(),
      [member(0, 'old'), member(1, 'old'), member(2, 'new', unready)],
      { remove: [] },
    ],
    [
      'leaves those below the partition',
      stateful({ updateStrategy: { rollingUpdate: { partition: 2 } } }),
      [member(0, 'old'), member(1, 'old'), member(2)],
      { remove: [] },
    ],
    [
      'updates nothing by itself where it is told so',
      stateful({ updateStrategy: { type: 'OnDelete' } }),
      [member(0, 'old'), member(1), member(2)],
      { remove: [] },
    ],
    [
      'waits for a broken pod of the old template, whatever the new one would mend',
      stateful(),
      [member(0, 'old', unready)],
      { create: [], remove: [] },
    ],
    [
      'shrinks by a broken one where none before it is broken',
      stateful({ replicas: 1 }),
      [member(0), member(1), member(2, 'new', unready)],
      { remove: ['db-2'] },
    ],
    [
      'does not shrink by a broken one that stands behind another',
      stateful({ replicas: 1 }),
      [member(0), member(1, 'new', unready), member(2, 'new', unready)],
      { remove: [] },
    ],
    [
      'shrinks by a healthy one that stands behind a broken one',
      stateful({ replicas: 1 }),
      [member(0), member(1, 'new', unready), member(2)],
      { remove: ['db-2'] },
    ],
    [
      'begins to count where it is told to',
      stateful({ ordinals: { start: 5 } }),
      [],
      { create: [5] },
    ],
  ])('%s', (_, of, pods, expected) => {
    expect(planned(of, pods)).toMatchObject(expected);
  });

  it('updates one at a time also where all may begin at once', () => {
    const of = stateful({ podManagementPolicy: 'Parallel' });
    const pods = [member(0, 'old'), member(1, 'old'), member(2, 'new', unready)];
    expect(planned(of, pods)).toEqual({ create: [], remove: [] });
  });

  it('takes the new revision for the current one when all have it', () => {
    const of = { ...stateful({ replicas: 2 }), status: { replicas: 2, currentRevision: 'old' } };
    const half = statefulStatus(of, {
      pods: [member(0, 'old'), member(1)],
      updateRevision: 'new',
      now,
    });
    expect(half).toMatchObject({ currentRevision: 'old', currentReplicas: 1, updatedReplicas: 1 });
    const whole = statefulStatus(of, { pods: [member(0), member(1)], updateRevision: 'new', now });
    expect(whole).toMatchObject({ currentRevision: 'new', currentReplicas: 2, updatedReplicas: 2 });
  });

  it('takes no new revision for the current one where somebody else removes the pods', () => {
    const of = {
      ...stateful({ replicas: 1, updateStrategy: { type: 'OnDelete' } }),
      status: { replicas: 1, currentRevision: 'old' },
    };
    const status = statefulStatus(of, { pods: [member(0)], updateRevision: 'new', now });
    expect(status).toMatchObject({
      currentRevision: 'old',
      currentReplicas: 0,
      updatedReplicas: 1,
    });
  });

  it('counts a pod that ends as long as it is ready, and one that has ended as long as it is there', () => {
    const leaving = { metadata: { deletionTimestamp: now.toISOString() } };
    const pods = [pod('db-0', { ...leaving, status: ready }), member(1, 'new', ended('Failed'))];
    expect(statefulStatus(stateful(), { pods, updateRevision: 'new', now })).toMatchObject({
      replicas: 2,
      readyReplicas: 1,
      availableReplicas: 1,
      updatedReplicas: 1,
    });
  });
});
