import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { isOwnReplica, planFormer } from '#shared/domain/pod-bootstrap/former-replica.ts';
import type { Facts } from '#shared/domain/pod-bootstrap/pull-secret-plan.ts';
import { replicaOf } from '#shared/domain/pod-bootstrap/pull-secret-replica.ts';
import { home, namespaceOf, pullSecret } from '#test/support/pull-secret.ts';

const source = pullSecret(home, 'now', { metadata: { name: 'platform', namespace: home } });
const rules = {
  ...{ namespace: home, name: 'platform', formerName: 'registry-credentials' },
  foreign: 'adopt',
} as const;
const applied = { manager: 'gatehouse-pull-secret', operation: 'Apply' };

function left(metadata: object = { managedFields: [applied] }): KubeObject {
  const replica = replicaOf(pullSecret(home, 'before'), 'team-a');
  return { ...replica, metadata: { ...replica.metadata, ...metadata } };
}

const facts: Facts = {
  ...{ namespace: namespaceOf('team-a'), wish: 'wanted', source, formerSource: undefined, rules },
  present: replicaOf(source, 'team-a'),
  now: new Date('2030-01-01T12:00:00Z'),
};

describe('planFormer', () => {
  it.each<[string, Partial<Facts>, KubeObject | undefined, string]>([
    ['takes it away where the new one is in place', {}, left(), 'remove'],
    ['takes it away where the namespace says no', { wish: 'opted-out' }, left(), 'remove'],
    ['does nothing where there is none', {}, undefined, 'nothing'],
    ['keeps it until the new one is there', { present: undefined }, left(), 'nothing'],
    [
      'keeps it until the new one is as its source',
      { present: replicaOf(pullSecret(home, 'older'), 'team-a') },
      left(),
      'nothing',
    ],
    ['keeps it while the new name has no source', { source: undefined }, left(), 'nothing'],
    ['keeps it while the feature is not available', { wish: 'unavailable' }, left(), 'nothing'],
    [
      'keeps what is in the source’s namespace',
      { namespace: namespaceOf(home) },
      left(),
      'nothing',
    ],
    ['keeps it where nobody knows the namespace', { namespace: undefined }, left(), 'nothing'],
    ['keeps what only has our labels', {}, left({ managedFields: [] }), 'nothing'],
    [
      'keeps what only has our field manager',
      {},
      left({ managedFields: [applied], labels: {} }),
      'nothing',
    ],
  ])('%s', (_, given, former, expected) => {
    expect(planFormer({ ...facts, ...given }, former).kind).toBe(expected);
  });

  it('takes the name of a field manager for ours only where it applied', () => {
    const updated = { managedFields: [{ ...applied, operation: 'Update' }] };
    expect([left(), left(updated)].map(isOwnReplica)).toEqual([true, false]);
  });

  it('leaves alone what is being deleted', () => {
    const deletionTimestamp = '2030-01-01T00:00:00Z';
    expect(isOwnReplica(left({ managedFields: [applied], deletionTimestamp }))).toBe(false);
  });
});
