import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import { expression, podOf, poolLabel, required } from '#test/support/placed-pod.ts';
import { type Case, decided } from '#test/support/preferring.ts';

const arch = expression('kubernetes.io/arch', 'In', 'amd64');
const otherPool = expression(poolLabel, 'In', 'other');
const inPool = (...pools: string[]) => ({
  matchExpressions: [expression(poolLabel, 'In', ...pools)],
});
const byArch = { matchExpressions: [arch] };

describe('preferPool, of pods that say themselves where they run', () => {
  it.each<[string, JsonObject, 'allow' | 'patch']>([
    ['a node', { nodeName: 'node-1' }, 'allow'],
    ['an empty node name', { nodeName: '' }, 'patch'],
    ['a nodeSelector on the pool', { nodeSelector: { [poolLabel]: 'other' } }, 'allow'],
    ['a nodeSelector on our pool', { nodeSelector: { [poolLabel]: 'cpu-worker-0' } }, 'allow'],
    [
      'a nodeSelector on something else',
      { nodeSelector: { 'kubernetes.io/os': 'linux' } },
      'patch',
    ],
    ['a null nodeSelector', { nodeSelector: null }, 'patch'],
    ['a required pool', required(inPool('other')), 'allow'],
    ['one of several pools', required(inPool('other', 'cpu-worker-0')), 'allow'],
    ['a pool and an architecture', required({ matchExpressions: [arch, otherPool] }), 'allow'],
    ['a pool in each alternative', required(inPool('other'), inPool('third')), 'allow'],
    ['a pool in one alternative only', required(inPool('other'), byArch), 'patch'],
    [
      'a pool beside an empty alternative, which matches nothing',
      required(inPool('other'), {}),
      'allow',
    ],
    [
      'nothing but empty alternatives',
      required({}, { matchExpressions: [], matchFields: null }),
      'patch',
    ],
    ['an architecture', required(byArch), 'patch'],
    ['any pool', required({ matchExpressions: [expression(poolLabel, 'Exists')] }), 'patch'],
    [
      'every pool but ours',
      required({ matchExpressions: [expression(poolLabel, 'NotIn', 'cpu-worker-0')] }),
      'patch',
    ],
    [
      'a node by its name',
      required({ matchFields: [expression('metadata.name', 'In', 'node-1')] }),
      'patch',
    ],
    [
      'a null list of alternatives',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: null },
          },
        },
      },
      'patch',
    ],
  ])('given %s', (_, spec, kind) => {
    expect(decided(podOf(spec)).kind).toBe(kind);
  });

  it('goes by the configured label', () => {
    const settings = { labelKey: 'pool' };
    expect(decided(podOf({ nodeSelector: { pool: 'x' } }), { settings }).kind).toBe('allow');
    expect(decided(podOf({ nodeSelector: { [poolLabel]: 'x' } }), { settings }).kind).toBe('patch');
    expect(decided(podOf(), { settings: { labelKey: 'constructor' } }).kind).toBe('patch');
  });
});

describe('preferPool, of pods that are left out', () => {
  const optOutAnnotation = 'gatehouse.io/leave-alone';
  it.each<[string, JsonObject, Case, 'allow' | 'patch']>([
    ['A5 kube-system', podOf(), { facts: { namespace: 'kube-system' } }, 'allow'],
    ['kube-system by the pod alone', podOf({}, { namespace: 'kube-system' }), {}, 'patch'],
    ['a configured namespace', podOf(), { settings: { excludedNamespaces: ['team-a'] } }, 'allow'],
    [
      'kube-system where it is taken off the list',
      podOf(),
      { facts: { namespace: 'kube-system' }, settings: { excludedNamespaces: [] } },
      'patch',
    ],
    [
      'an opted-out pod',
      podOf({}, { annotations: { [optOutAnnotation]: 'true' } }),
      { settings: { optOutAnnotation } },
      'allow',
    ],
    [
      'one that says false',
      podOf({}, { annotations: { [optOutAnnotation]: 'false' } }),
      { settings: { optOutAnnotation } },
      'patch',
    ],
    [
      'one that says True',
      podOf({}, { annotations: { [optOutAnnotation]: 'True' } }),
      { settings: { optOutAnnotation } },
      'patch',
    ],
    [
      'one without annotations',
      podOf({}, { annotations: null }),
      { settings: { optOutAnnotation } },
      'patch',
    ],
    [
      'an opt-out that is not configured',
      podOf({}, { annotations: { [optOutAnnotation]: 'true', '': 'true' } }),
      {},
      'patch',
    ],
  ])('given %s', (_, pod, given, kind) => {
    expect(decided(pod, given).kind).toBe(kind);
  });
});
