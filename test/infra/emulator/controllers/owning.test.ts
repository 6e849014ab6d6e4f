import { describe, expect, it } from 'vitest';
import { type OwnerState, planGarbage } from '#infra/emulator/controllers/garbage/plan-garbage.ts';
import { planClaim } from '#infra/emulator/controllers/owning/claim.ts';
import { deletionOrder } from '#infra/emulator/controllers/owning/deletion-order.ts';
import {
  planReplicas,
  replicaStatus,
  secondsUntilAvailable,
} from '#infra/emulator/controllers/replica-sets/plan-replicas.ts';
import type { Thing } from '#infra/emulator/controllers/shapes/meta.ts';
import { ended, metaOf, now, pod, ready, set, unready } from './making.ts';

const leaving = { deletionTimestamp: now.toISOString() };
const names = (pods: readonly Thing[]) => pods.map(({ metadata }) => metadata.name);

describe('planClaim', () => {
  const owner: Thing = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: metaOf('web') };
  const labels = { app: 'web' };
  const by = (uid: string) => ({
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid, controller: true },
    ],
  });
  const selector = { matchLabels: labels };

  it("takes up orphans that match, lets go what does not, and leaves what is another one's", () => {
    const candidates = [
      pod('own', { metadata: { labels, ...by('uid-web') } }),
      pod('relabelled', { metadata: by('uid-web') }),
      pod('orphan', { metadata: { labels } }),
      pod('stranger', { metadata: { labels, ...by('other') } }),
      pod('elsewhere', { metadata: { labels, namespace: 'other' } }),
      pod('leaving', { metadata: { labels, ...leaving } }),
    ];
    const claim = planClaim({ owner, selector, candidates });
    expect([names(claim.owned), names(claim.adopted), names(claim.released)]).toEqual([
      ['own'],
      ['orphan'],
      ['relabelled'],
    ]);
  });

  it('takes up nothing for an owner that goes', () => {
    const going = { ...owner, metadata: metaOf('web', leaving) };
    expect(
      planClaim({ owner: going, selector, candidates: [pod('orphan', { metadata: { labels } })] })
        .adopted,
    ).toEqual([]);
  });
});

describe('a replica set', () => {
  it('replaces what has failed or goes', () => {
    const pods = [
      pod('a', { status: ready }),
      pod('b', { status: ended('Failed') }),
      pod('c', { metadata: leaving }),
    ];
    expect(planReplicas(set('app:1', { replicas: 2 }), pods)).toEqual({ missing: 1, surplus: [] });
  });

  it('gives up first who is missed least', () => {
    const placed = { spec: { nodeName: 'a' } };
    const pods = [
      pod('ready', { ...placed, status: ready }),
      pod('dear', {
        ...placed,
        status: ready,
        metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '9' } },
      }),
      pod('unready', { ...placed, status: unready }),
      pod('pending', placed),
      pod('nowhere'),
    ];
    expect(names(deletionOrder(pods))).toEqual(['nowhere', 'pending', 'unready', 'ready', 'dear']);
    expect(names(planReplicas(set('app:1', { replicas: 3 }), pods).surplus)).toEqual([
      'nowhere',
      'pending',
    ]);
  });

  it('counts a pod as available when it has been ready for long enough', () => {
    const patient = set('app:1', { replicas: 1 });
    const slow = { ...patient, spec: { ...patient.spec, minReadySeconds: 15 } };
    const owned = [pod('a', { status: ready })];
    expect(replicaStatus(slow, { owned, now })).toMatchObject({
      readyReplicas: 1,
      availableReplicas: 0,
    });
    expect(secondsUntilAvailable(owned, { minReadySeconds: 15, now })).toBe(5);
  });
});

describe('planGarbage', () => {
  const owned = (...uids: readonly string[]): Thing => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metaOf('c', {
      ownerReferences: uids.map((uid) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid })),
    }),
  });
  const states = (all: Readonly<Record<string, OwnerState>>) => new Map(Object.entries(all));

  it.each<[string, Thing, Readonly<Record<string, OwnerState>>, boolean, object]>([
    ['keeps what has its owner', owned('a'), { a: 'there' }, false, { kind: 'keep' }],
    [
      'deletes what has lost it',
      owned('a'),
      { a: 'gone' },
      false,
      { kind: 'delete', propagation: 'Background' },
    ],
    [
      'keeps what has one left, without the other',
      owned('a', 'b'),
      { a: 'gone', b: 'there' },
      false,
      { kind: 'disown', references: [{ uid: 'b' }] },
    ],
    [
      'goes on in the foreground where others wait for the dependent',
      owned('a'),
      { a: 'waiting' },
      true,
      { kind: 'delete', propagation: 'Foreground' },
    ],
    [
      'deletes at once what nobody waits for',
      owned('a'),
      { a: 'waiting' },
      false,
      { kind: 'delete', propagation: 'Background' },
    ],
    ['leaves what never had an owner', owned(), {}, false, { kind: 'keep' }],
    ['leaves what is not known to have lost one', owned('a'), {}, false, { kind: 'keep' }],
  ])('%s', (_, object, all, hasBlockingDependents, expected) => {
    expect(planGarbage(object, { states: states(all), hasBlockingDependents })).toMatchObject(
      expected,
    );
  });
});
