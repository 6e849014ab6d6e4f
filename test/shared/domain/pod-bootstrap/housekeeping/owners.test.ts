import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { lineAmong } from '#shared/domain/pod-bootstrap/housekeeping/campaign.ts';
import {
  askOwner,
  countingKind,
  type Desired,
  desiredPods,
} from '#shared/domain/pod-bootstrap/housekeeping/desired-pods.ts';
import { unjudgedGeneration } from '#shared/domain/pod-bootstrap/housekeeping/generation.ts';
import { excusedBy } from '#shared/domain/pod-bootstrap/housekeeping/held-back.ts';
import { type House, isBlind } from '#shared/domain/pod-bootstrap/housekeeping/house.ts';
import { labelsInCommon } from '#shared/domain/pod-bootstrap/housekeeping/look-at-pods.ts';
import { ownersIn } from '#shared/domain/pod-bootstrap/housekeeping/look-over.ts';
import { campaign, housed, policy, seen, wantedBy } from './samples.ts';

describe('an owner', () => {
  it.each<[string, string, string | undefined]>([
    ['apps/v1', 'ReplicaSet', 'replicasets'],
    ['v1', 'ReplicationController', 'replicationcontrollers'],
    ['example.com/v1', 'ReplicaSet', undefined],
    ['batch/v1', 'Job', undefined],
  ])('of %s, %s is asked as %s', (apiVersion, kind, resource) => {
    expect(countingKind({ apiVersion, kind })?.resource).toBe(resource);
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

  const by = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' };
  const asked = { uid: 'mine', namespace: 'team-a', by };
  const object = (uid: string, spec: JsonObject) => ({
    ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { uid }, spec },
  });
  const ending: KubeObject = {
    ...object('mine', { replicas: 2 }),
    metadata: { uid: 'mine', deletionTimestamp: '2030-01-01T12:00:00Z' },
  };
  it.each<[string, Parameters<typeof askOwner>[1], KubeObject | undefined, Desired]>([
    ['says its number', asked, object('mine', { replicas: 2 }), 2],
    ['is gone', asked, undefined, 'gone'],
    ['is gone where another has its name', asked, object('other', { replicas: 2 }), 'gone'],
    ['is gone where it is about to go', asked, ending, 'gone'],
    ['does not say', asked, object('mine', {}), 'unknown'],
    [
      'cannot be asked',
      { ...asked, by: { ...by, kind: 'TaskRun' } },
      object('mine', { replicas: 2 }),
      'unknown',
    ],
    ['has left no name', { ...asked, by: undefined }, undefined, 'unknown'],
  ])('%s', async (_, asking, found, desired) => {
    expect((await askOwner({ find: async () => found }, asking)).desired).toBe(desired);
  });

  const onDelete = { updateStrategy: { type: 'OnDelete' } };
  const generation = { 'deprecated.daemonset.template.generation': '4' };
  it.each<[string, object, Readonly<Record<string, string>>, string | undefined]>([
    [
      'of an older revision',
      { status: { updateRevision: 'b' } },
      { 'controller-revision-hash': 'a' },
      'on-delete',
    ],
    [
      'of the newest',
      { status: { updateRevision: 'b' } },
      { 'controller-revision-hash': 'b' },
      undefined,
    ],
    [
      'of an older generation',
      { metadata: { annotations: generation } },
      { 'pod-template-generation': '3' },
      'on-delete',
    ],
    [
      'of the newest generation',
      { metadata: { annotations: generation } },
      { 'pod-template-generation': '4' },
      undefined,
    ],
    ['of nobody knows which', {}, {}, 'on-delete'],
    [
      'of an owner that rolls',
      { spec: { updateStrategy: { type: 'RollingUpdate' } } },
      {},
      undefined,
    ],
  ])('leaves a pod to whoever deletes it, or not: %s', (_, parts, labels, excuse) => {
    const stated = { apiVersion: 'apps/v1', kind: 'X', metadata: {}, spec: onDelete, ...parts };
    const pod = housed({ metadata: { labels } });
    const heard = { owner: JSON.parse(JSON.stringify(stated)), desired: 1 };
    expect(excusedBy(heard, [{ ...seen('p1'), pod }])[0]?.excuse).toBe(excuse);
    expect(excusedBy(heard, [{ ...seen('p1'), pod, excuse: 'young' }])[0]?.excuse).toBe('young');
  });

  it('that is gone leaves orphans, and one that nobody has asked none', () => {
    const gone = { owner: undefined, desired: 'gone' } as const;
    expect(excusedBy(gone, [seen('p1')])[0]?.excuse).toBe('orphan');
    expect(excusedBy(undefined, [seen('p1')])[0]?.excuse).toBeUndefined();
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
    const begun = ['team-a', 'team-b'].map((namespace) => campaign({ namespace }));
    expect((await ownersIn(nothing(), [...begun, ...begun])).owners).toEqual([
      { uid: 'rs', namespace: 'team-a' },
      { uid: 'rs', namespace: 'team-b' },
    ]);
  });
});

describe('the line', () => {
  const of = (owner: string, turnInMs: number | undefined, state: 'open' | 'tripped' = 'open') =>
    campaign({ owner, turnInMs, state });
  it.each<[string, readonly ReturnType<typeof of>[], readonly string[]]>([
    ['in the order of their turns', [of('b', 400), of('a', -900)], ['a', 'b']],
    ['but those whose turn has passed', [of('a', -90_000), of('b', 400)], ['b']],
    ['but those whose turn was taken', [of('a', undefined), of('b', 400)], ['b']],
    ['but those that have tripped', [of('a', 400, 'tripped')], []],
  ])('is all owners that have drawn a turn, %s', (_, begun, uids) => {
    expect(lineAmong(begun).map(({ uid }) => uid)).toEqual(uids);
  });

  it('is not looked at beside itself', async () => {
    const begun = [of('a', 400), of('b', undefined), of('c', -90_000), of('d', -900)];
    const { owners } = await ownersIn(nothing(), begun);
    expect(owners.map(({ uid }) => uid)).toEqual(['b', 'c']);
  });
});

async function* nothing(): AsyncGenerator<never> {}

it('a pod that cannot be judged has a row of its own, and no word of what it is', () => {
  const namespace = { name: 'team-a', uid: 'u', labels: {}, annotations: {} };
  const row = unjudgedGeneration({ kind: 'unjudged', namespace, pod: 'web-1', why: 'x' });
  expect(row).toMatchObject({ pod: 'web-1', states: ['unjudged'], lacks: ['x'], isCurrent: false });
});

describe('what pods are to have', () => {
  const { configuration } = wantedBy({ overrides: {}, availableFeatures: [] });
  const house = { configuration, policy, problem: undefined };
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
