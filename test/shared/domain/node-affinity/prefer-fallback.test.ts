import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import { ours, podOf, poolLabel, preferring } from '#test/support/placed-pod.ts';
import { type Case, decided, stored } from '#test/support/preferring.ts';

const ruled = preferring({ ...ours, weight: 50 });

describe('preferPool, while the pool has no node', () => {
  const facts = { poolHasNodes: false };
  const marking = { facts, settings: { fallbackAnnotation: true } };

  it('leaves every pod as it is', () => {
    for (const pod of [podOf(), podOf(ruled), podOf({}, { annotations: { a: 'b' } })]) {
      expect(decided(pod, { facts })).toEqual({ kind: 'allow' });
    }
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['none', {}, { annotations: { [poolLabel]: 'cpu-worker-0' } }],
    ['null', { annotations: null }, { annotations: { [poolLabel]: 'cpu-worker-0' } }],
    [
      'others',
      { annotations: { a: 'b' } },
      { annotations: { a: 'b', [poolLabel]: 'cpu-worker-0' } },
    ],
    [
      'another mark',
      { annotations: { [poolLabel]: 'x' } },
      { annotations: { [poolLabel]: 'cpu-worker-0' } },
    ],
  ])('A6 marks a pod where that is switched on, beside %s', (_, metadata, expected) => {
    const pod = podOf(ruled, metadata);
    expect(stored(pod, marking)).toEqual(podOf(ruled, expected));
    expect(decided(stored(pod, marking), marking)).toEqual({ kind: 'allow' });
  });

  it.each<[string, JsonObject, Case]>([
    ['A7 of kube-system', podOf(), { ...marking, facts: { ...facts, namespace: 'kube-system' } }],
    ['with a node', podOf({ nodeName: 'node-1' }), marking],
    [
      'whose annotations leave no room',
      podOf({}, { annotations: { a: 'x'.repeat(262_144 - 10) } }),
      marking,
    ],
    ['with a pool of its own', podOf({ nodeSelector: { [poolLabel]: 'other' } }), marking],
  ])('marks no pod %s', (_, pod, given) => {
    expect(decided(pod, given)).toEqual({ kind: 'allow' });
  });

  it('marks with the first of several pools', () => {
    const settings = { fallbackAnnotation: true, pools: ['b', 'a'] };
    expect(stored(podOf(), { facts, settings })).toEqual(
      podOf({}, { annotations: { [poolLabel]: 'b' } }),
    );
  });

  it('A18 adds the term as soon as a node is there', () => {
    expect(stored(stored(podOf(), { facts }))).toEqual(podOf(preferring(ours)));
  });
});
