import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import { applyPatch, setAt } from '#shared/domain/json-patch.ts';
import { valueAt } from '#shared/domain/json-pointer.ts';
import { poolLabel } from '#test/support/placed-pod.ts';
import { decided, stored } from '#test/support/preferring.ts';
import { randomPod } from '#test/support/random-pod.ts';

describe('what preferPool promises of any pod', () => {
  const given = fc.record({
    facts: fc.record({
      poolHasNodes: fc.boolean(),
      namespace: fc.constantFrom('team-a', 'kube-system'),
    }),
    settings: fc.record({
      fallbackAnnotation: fc.boolean(),
      optOutAnnotation: fc.constantFrom('', 'gatehouse.io/leave-alone'),
      pools: fc.constantFrom<string[]>(['cpu-worker-0'], ['other', 'cpu-worker-0']),
    }),
  });

  it('changes nothing the second time, and never denies', () => {
    fc.assert(
      fc.property(randomPod, given, (pod, stated) => {
        expect(decided(pod, stated).kind).not.toBe('deny');
        expect(decided(stored(pod, stated), stated)).toEqual({ kind: 'allow' });
      }),
      { numRuns: 1_000 },
    );
  });

  it('touches nothing but the list of preferences, or its one annotation', () => {
    const list = [
      'spec',
      'affinity',
      'nodeAffinity',
      'preferredDuringSchedulingIgnoredDuringExecution',
    ];
    const mark = ['metadata', 'annotations', poolLabel];
    fc.assert(
      fc.property(randomPod, given, (pod, stated) => {
        const path = stated.facts.poolHasNodes ? list : mark;
        const blank = (object: JsonObject) => applyPatch(object, setAt(object, path, 'blank', ''));
        expect(blank(stored(pod, stated))).toEqual(blank(pod));
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps every preference that was there, and adds one after them', () => {
    fc.assert(
      fc.property(randomPod, given, (pod, stated) => {
        const before = preferencesOf(pod);
        const after = preferencesOf(stored(pod, stated));
        expect(after.slice(0, before.length)).toEqual(before);
        expect(after.length - before.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 1_000 },
    );
  });
});

function preferencesOf(pod: JsonObject): readonly unknown[] {
  const path = [
    'spec',
    'affinity',
    'nodeAffinity',
    'preferredDuringSchedulingIgnoredDuringExecution',
  ];
  const found = path.reduce<unknown>(valueAt, pod);
  return Array.isArray(found) ? found : [];
}
