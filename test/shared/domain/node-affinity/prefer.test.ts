import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import {
  expression,
  ours,
  podOf,
  poolLabel,
  preference,
  preferring,
} from '#test/support/placed-pod.ts';
import { decided, stored } from '#test/support/preferring.ts';

const arch = expression('kubernetes.io/arch', 'In', 'amd64');
const otherPool = expression(poolLabel, 'In', 'other');
const antiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [] };
const nodeTerms = { nodeSelectorTerms: [{ matchExpressions: [arch] }] };
const everything = {
  affinity: {
    podAntiAffinity: antiAffinity,
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: nodeTerms,
      preferredDuringSchedulingIgnoredDuringExecution: [preference(50, arch)],
    },
  },
};

describe('preferPool, while the pool has nodes', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['A1 a pod without affinity', {}, preferring(ours)],
    [
      'A2 a pod with rules of its own, all of which stay',
      everything,
      {
        affinity: {
          podAntiAffinity: antiAffinity,
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: nodeTerms,
            preferredDuringSchedulingIgnoredDuringExecution: [preference(50, arch), ours],
          },
        },
      },
    ],
    ['A3 an empty affinity', { affinity: {} }, preferring(ours)],
    ['A3 an empty nodeAffinity', { affinity: { nodeAffinity: {} } }, preferring(ours)],
    ['a null affinity', { affinity: null }, preferring(ours)],
    ['a null nodeAffinity', { affinity: { nodeAffinity: null } }, preferring(ours)],
    ['an empty list', preferring(), preferring(ours)],
    [
      'a null list',
      { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: null } } },
      preferring(ours),
    ],
    [
      'a preference for another pool',
      preferring(preference(100, otherPool)),
      preferring(preference(100, otherPool), ours),
    ],
    [
      'our pool by another weight',
      preferring({ ...ours, weight: 11 }),
      preferring({ ...ours, weight: 11 }, ours),
    ],
    [
      'our pool and more in one term',
      preferring(preference(10, expression(poolLabel, 'In', 'cpu-worker-0'), arch)),
      preferring(preference(10, expression(poolLabel, 'In', 'cpu-worker-0'), arch), ours),
    ],
    [
      'our pool or another',
      preferring(preference(10, expression(poolLabel, 'In', 'cpu-worker-0', 'other'))),
      preferring(preference(10, expression(poolLabel, 'In', 'cpu-worker-0', 'other')), ours),
    ],
    [
      'our pool by its absence',
      preferring(preference(10, expression(poolLabel, 'NotIn', 'cpu-worker-0'))),
      preferring(preference(10, expression(poolLabel, 'NotIn', 'cpu-worker-0')), ours),
    ],
    [
      'a term of ours with a field beside',
      preferring({
        weight: 10,
        preference: {
          matchExpressions: [expression(poolLabel, 'In', 'cpu-worker-0')],
          matchFields: [arch],
        },
      }),
      preferring(
        {
          weight: 10,
          preference: {
            matchExpressions: [expression(poolLabel, 'In', 'cpu-worker-0')],
            matchFields: [arch],
          },
        },
        ours,
      ),
    ],
  ])('adds one term, the last, to %s', (_, spec, expected) => {
    expect(stored(podOf(spec))).toEqual(podOf(expected));
  });

  it('adds with one operation, at the first parent that is missing', () => {
    expect(decided(podOf(everything))).toMatchObject({
      changes: [
        {
          op: 'add',
          path: '/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution/1',
          value: ours,
          why: 'a managed pod prefers the node pool cpu-worker-0',
        },
      ],
    });
    expect(decided(podOf())).toMatchObject({ changes: [{ op: 'add', path: '/spec/affinity' }] });
  });

  it.each<[string, JsonObject]>([
    ['A4 as it was added', preferring(ours)],
    ['among others', preferring(preference(50, arch), ours, preference(1, arch))],
    [
      'with an empty matchFields',
      preferring({
        weight: 10,
        preference: { ...(ours['preference'] as JsonObject), matchFields: [] },
      }),
    ],
    [
      'with a null matchFields',
      preferring({
        weight: 10,
        preference: { ...(ours['preference'] as JsonObject), matchFields: null },
      }),
    ],
    [
      'with its keys in another order',
      preferring({
        preference: {
          matchExpressions: [{ values: ['cpu-worker-0'], operator: 'In', key: poolLabel }],
        },
        weight: 10,
      }),
    ],
    [
      'with a pool named twice',
      preferring(preference(10, expression(poolLabel, 'In', 'cpu-worker-0', 'cpu-worker-0'))),
    ],
  ])('does not add a term that is there, %s', (_, spec) => {
    expect(decided(podOf(spec))).toEqual({ kind: 'allow' });
  });

  it('takes weight, key and pools from the settings, and knows its term whatever the order of pools', () => {
    const settings = { weight: 42, labelKey: 'pool', pools: ['b', 'a'] };
    const term = preference(42, expression('pool', 'In', 'b', 'a'));
    const turned = preference(42, expression('pool', 'In', 'a', 'b'));
    const fewer = preference(42, expression('pool', 'In', 'a'));
    expect(stored(podOf(), { settings })).toEqual(podOf(preferring(term)));
    expect(decided(podOf(preferring(turned)), { settings })).toEqual({ kind: 'allow' });
    expect(stored(podOf(preferring(fewer)), { settings })).toEqual(podOf(preferring(fewer, term)));
  });
});
