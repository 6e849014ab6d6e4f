import { describe, expect, it } from 'vitest';
import {
  countingKind,
  desiredPods,
} from '#shared/domain/pod-bootstrap/housekeeping/desired-pods.ts';
import { type House, isBlind } from '#shared/domain/pod-bootstrap/housekeeping/house.ts';
import { labelsInCommon } from '#shared/domain/pod-bootstrap/housekeeping/look-at-pods.ts';
import { ownersIn } from '#shared/domain/pod-bootstrap/housekeeping/look-over.ts';
import { housed, policy, wantedBy } from './samples.ts';

describe('an owner', () => {
  it.each<[string, string, string | undefined]>([
    ['apps/v1', 'ReplicaSet', 'replicasets'],
    ['v1', 'ReplicationController', 'replicationcontrollers'],
    ['example.com/v1', 'ReplicaSet', undefined],
    ['batch/v1', 'Job', undefined],
  ])('of %s, %s is asked as %s', (apiVersion, kind, resource) => {
    expect(countingKind({ apiVersion, kind, name: 'x', uid: 'x' })?.resource).toBe(resource);
  });

  it.each<[string, object, number | undefined]>([
    ['by its spec', { spec: { replicas: 0 }, status: { replicas: 3 } }, 0],
    ['a DaemonSet by its nodes', { spec: {}, status: { desiredNumberScheduled: 4 } }, 4],
    ['or not at all', {}, undefined],
  ])('says how many pods it wants, %s', (_, parts, expected) => {
    const object = {
      apiVersion: 'apps/v1',
      kind: 'X',
      metadata: {},
      ...JSON.parse(JSON.stringify(parts)),
    };
    expect(desiredPods(object)).toBe(expected);
  });

  it('is found by what all of its pods are labelled with, whatever their revision', () => {
    const labelled = (labels: object) => housed({ metadata: { labels } });
    const own = {
      app: 'web',
      'controller-revision-hash': 'one',
      'apps.kubernetes.io/pod-index': '0',
    };
    expect(
      labelsInCommon([labelled({ ...own, tier: 'a' }), labelled({ ...own, tier: 'b' })]),
    ).toEqual({ app: 'web' });
    expect(labelsInCommon([labelled(own)])).toEqual({ app: 'web' });
    expect(labelsInCommon([])).toEqual({});
  });

  it('is looked at once, also where nothing but its campaign is left', async () => {
    const found = await ownersIn(nothing(), [{ owner: 'rs', namespace: 'team-a' }]);
    expect([...found.values()]).toEqual([{ uid: 'rs', namespace: 'team-a' }]);
  });
});

async function* nothing(): AsyncGenerator<never> {}

describe('what pods are to have', () => {
  const { configuration } = wantedBy({ overrides: {}, availableFeatures: [] });
  const house = { configuration, policy };
  it.each<[string, Pick<House, 'bundle' | 'trustBundle'>, boolean]>([
    [
      'cannot be told while the bundle cannot be read',
      { bundle: 'corp', trustBundle: { kind: 'unknown' } },
      true,
    ],
    ['is known without a bundle', { bundle: undefined, trustBundle: { kind: 'unknown' } }, false],
    [
      'is known where the bundle is not there',
      { bundle: 'corp', trustBundle: { kind: 'absent' } },
      false,
    ],
  ])('%s', (_, known, expected) => {
    expect(isBlind({ ...house, ...known })).toBe(expected);
  });
});
