import { describe, expect, it } from 'vitest';
import { decode, describe as said } from '#shared/domain/decode.ts';
import { nodeAffinitySettings } from '#shared/domain/node-affinity/settings.ts';

describe('the settings of node affinity', () => {
  it("are upstream's where nothing is said", () => {
    expect(decode(nodeAffinitySettings, undefined)).toEqual({
      ok: true,
      value: {
        pools: ['cpu-worker-0'],
        labelKey: 'worker.gardener.cloud/pool',
        weight: 10,
        presence: 'follow',
        namespaceSelector: { matchLabels: { 'operator.kyma-project.io/managed-by': 'kyma' } },
        excludedNamespaces: ['kube-system'],
        optOutAnnotation: '',
        fallbackAnnotation: false,
      },
    });
  });

  it.each<[string, object, string]>([
    ['no pool', { pools: [] }, '$.pools: expected at least one pool name'],
    ['an empty pool', { pools: [''] }, '$.pools[0]: expected a pool name'],
    ['a pool that no label could hold', { pools: ['a b'] }, '$.pools[0]: expected a pool name'],
    ['a pool that is too long', { pools: ['p'.repeat(64)] }, '$.pools[0]: expected a pool name'],
    ['a key that no label has', { labelKey: 'a/b/c' }, "$.labelKey: expected a label's key"],
    ['an empty key', { labelKey: '' }, "$.labelKey: expected a label's key"],
    ['a weight of none', { weight: 0 }, '$.weight: expected a weight from 1 to 100, found 0'],
    ['a weight too great', { weight: 101 }, '$.weight: expected a weight from 1 to 100, found 101'],
  ])('refuse %s, which would make pods that the API server refuses', (_, stated, problem) => {
    const result = decode(nodeAffinitySettings, stated);
    expect(result.ok ? '' : said(result.problems[0])).toContain(problem);
  });
});
