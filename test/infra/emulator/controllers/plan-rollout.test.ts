import { describe, expect, it } from 'vitest';
import { planRollout } from '#infra/emulator/controllers/deployments/plan-rollout.ts';
import {
  historyKey,
  nextRevision,
  revisionKey,
  setsOf,
} from '#infra/emulator/controllers/deployments/rollout-sets.ts';
import { rolloutStatus } from '#infra/emulator/controllers/deployments/rollout-status.ts';
import { setAnnotations } from '#infra/emulator/controllers/deployments/set-object.ts';
import type { Deployment, ReplicaSet } from '#infra/emulator/controllers/shapes/workload.ts';
import { deployment, now, set } from './making.ts';

const recreated = deployment({ strategy: { type: 'Recreate' } });

function through(spec: Partial<Deployment['spec']>): Deployment {
  const status = { observedGeneration: 1, replicas: 4, updatedReplicas: 4, availableReplicas: 4 };
  return { ...deployment(spec), status };
}

function planned(of: Deployment, all: readonly ReplicaSet[], oldPods = 0) {
  const { create, sizes, remove } = planRollout(of, { sets: setsOf(of, all), oldPods });
  const named = Object.fromEntries(sizes.map((size) => [size.set.metadata.name, size.replicas]));
  return { create, sizes: named, remove: remove.map(({ metadata }) => metadata.name) };
}

describe('planRollout', () => {
  it.each<[string, Deployment, ReplicaSet[], object]>([
    ['makes the first set with all replicas', deployment(), [], { create: 4 }],
    [
      'makes a new set as large as the surge',
      deployment(),
      [set('app:1', { replicas: 4 })],
      { create: 1 },
    ],
    [
      'takes from the old what may be missing, when the surge is used up',
      deployment(),
      [set('app:1', { replicas: 4 }), set('app:2', { replicas: 1, available: 0 })],
      { sizes: { 'web-app-1': 3 } },
    ],
    [
      'waits while neither up nor down is allowed',
      deployment(),
      [set('app:1', { replicas: 3 }), set('app:2', { replicas: 2, available: 0 })],
      { sizes: {} },
    ],
    [
      'takes the place of each new pod that became available',
      deployment(),
      [set('app:1', { replicas: 3 }), set('app:2', { replicas: 2 })],
      { sizes: { 'web-app-1': 1 } },
    ],
    [
      'grows into the room that the old ones have left',
      deployment(),
      [set('app:1', { replicas: 1 }), set('app:2', { replicas: 2 })],
      { sizes: { 'web-app-2': 4 } },
    ],
    [
      'gives up broken old pods before healthy ones',
      deployment(),
      [
        set('app:0', { replicas: 2, available: 0 }),
        set('app:1', { replicas: 3 }),
        set('app:2', { replicas: 0 }),
      ],
      { sizes: { 'web-app-0': 0 } },
    ],
    [
      'does nothing to what is there already',
      deployment(),
      [set('app:1', { replicas: 0 }), set('app:2', { replicas: 4 })],
      { sizes: {} },
    ],
    [
      'scales without a rollout where only the number has changed',
      deployment({ replicas: 6 }),
      [set('app:2', { replicas: 4 })],
      { sizes: { 'web-app-2': 6 } },
    ],
    [
      'shares a new number among the sets of a rollout',
      deployment({ replicas: 9 }),
      [set('app:1', { replicas: 3 }), set('app:2', { replicas: 2 })],
      { sizes: { 'web-app-1': 6, 'web-app-2': 4 } },
    ],
    [
      'begins nothing while it is paused',
      deployment({ paused: true }),
      [set('app:1', { replicas: 4 })],
      { sizes: {} },
    ],
    [
      'first empties the old where it recreates',
      recreated,
      [set('app:1', { replicas: 4 })],
      { sizes: { 'web-app-1': 0 } },
    ],
    [
      'makes the new when the old are gone',
      recreated,
      [set('app:1', { replicas: 0 })],
      { create: 4 },
    ],
    [
      'forgets empty sets beyond the history that is kept',
      through({ revisionHistoryLimit: 0 }),
      [set('app:1', { replicas: 0 }), set('app:2', { replicas: 4 })],
      { remove: ['web-app-1'] },
    ],
    [
      'forgets the oldest first, and none in the place of one that is not empty',
      through({ revisionHistoryLimit: 1, paused: true }),
      [set('app:1', { replicas: 1 }), set('app:0', { replicas: 0 }), set('app:3', { replicas: 0 })],
      { remove: ['web-app-0'] },
    ],
    [
      'forgets nothing in the middle of a rollout',
      deployment({ revisionHistoryLimit: 0 }),
      [set('app:1', { replicas: 0 }), set('app:2', { replicas: 4 })],
      { remove: [] },
    ],
  ])('%s', (_, of, all, expected) => {
    expect(planned(of, all)).toMatchObject(expected);
  });

  it('makes no new set of a recreated deployment while an old pod still runs', () => {
    expect(planned(recreated, [set('app:1', { replicas: 0 })], 1).create).toBeUndefined();
  });

  it('makes a revision that is rolled back to the newest one', () => {
    const sets = setsOf(deployment(), [
      set('app:3', { replicas: 1 }),
      set('app:2', { replicas: 1 }),
    ]);
    expect(nextRevision(sets)).toBe(4);
  });
});

describe('setAnnotations', () => {
  const many = '22,'.repeat(665);
  it.each([
    ['all of few', '1,2,', '1,2,3'],
    ['all of 2,000 letters', `333,${many}`, `333,${many}3`],
    ['the last of one letter more', `4444,${many}`, `${many}3`],
    ['the last of some more', `1,333,${many}`, `333,${many}3`],
  ])('keep of the numbers that a set had %s', (_, before, after) => {
    const old = set('app:4', { replicas: 0 });
    const { metadata, ...rest } = set('app:2', { replicas: 0 });
    const annotations = { [revisionKey]: '3', [historyKey]: before.slice(0, -1) };
    const current = { ...rest, metadata: { ...metadata, annotations } };
    const stated = setAnnotations(deployment(), { current, old: [old] });
    expect(stated).toMatchObject({ [revisionKey]: '5', [historyKey]: after });
  });
});

describe('rolloutStatus', () => {
  function said(of: Deployment, all: readonly ReplicaSet[]) {
    const { conditions = [], ...counts } = rolloutStatus(of, setsOf(of, all), now);
    return { ...counts, reasons: conditions.map(({ reason }) => reason) };
  }

  it.each<[string, Deployment, ReplicaSet[], object]>([
    [
      'is complete when all replicas are new and available',
      deployment(),
      [set('app:2', { replicas: 4 })],
      {
        updatedReplicas: 4,
        unavailableReplicas: 0,
        reasons: ['MinimumReplicasAvailable', 'NewReplicaSetAvailable'],
      },
    ],
    [
      'progresses while old ones are left',
      deployment(),
      [set('app:1', { replicas: 3 }), set('app:2', { replicas: 1, available: 0 })],
      {
        updatedReplicas: 1,
        unavailableReplicas: 1,
        reasons: ['MinimumReplicasAvailable', 'ReplicaSetUpdated'],
      },
    ],
    [
      'is not available with more missing than may be',
      deployment(),
      [set('app:2', { replicas: 4, available: 2 })],
      { unavailableReplicas: 2, reasons: ['MinimumReplicasUnavailable', 'ReplicaSetUpdated'] },
    ],
    [
      'says that it is paused',
      deployment({ paused: true }),
      [],
      { reasons: ['DeploymentPaused', 'MinimumReplicasUnavailable'] },
    ],
  ])('%s', (_, of, all, expected) => {
    expect(said(of, all)).toMatchObject(expected);
  });

  it('says that a rollout is stuck when its deadline is over', () => {
    const message = 'ReplicaSet "web-app-2" is progressing.';
    const lastUpdateTime = '2030-01-01T00:00:00Z';
    const known = {
      type: 'Progressing',
      status: 'True',
      reason: 'ReplicaSetUpdated',
      message,
      lastUpdateTime,
    } as const;
    const stuck = {
      ...deployment(),
      status: { replicas: 4, updatedReplicas: 4, conditions: [known] },
    };
    const { reasons } = said(stuck, [set('app:2', { replicas: 4, available: 0 })]);
    expect(reasons).toContain('ProgressDeadlineExceeded');
  });
});
