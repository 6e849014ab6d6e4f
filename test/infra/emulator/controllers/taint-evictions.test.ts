import { describe, expect, it } from 'vitest';
import type { Toleration } from '#infra/emulator/controllers/shapes/pod.ts';
import { staysMs } from '#infra/emulator/controllers/taint-evictions/plan-eviction.ts';
import { node, now, pod } from './making.ts';

const timeAdded = new Date(now.getTime() - 10_000).toISOString();
const drained = node('a', { spec: { taints: [{ key: 'only', effect: 'NoExecute', timeAdded }] } });
const kept = node('b', { spec: { taints: [{ key: 'only', effect: 'NoSchedule' }] } });
const forEver = Number.POSITIVE_INFINITY;

describe('staysMs', () => {
  it.each<[string, readonly Toleration[], typeof kept, number]>([
    ['nothing, of a taint that it does not stand', [], drained, 0],
    ['for ever, of one that it stands', [{ operator: 'Exists' }], drained, forEver],
    [
      'for what is left of its time',
      [{ operator: 'Exists', tolerationSeconds: 30 }],
      drained,
      20_000,
    ],
    ['nothing, when its time is over', [{ operator: 'Exists', tolerationSeconds: 5 }], drained, 0],
    ['for ever, of a taint that only keeps others out', [], kept, forEver],
  ])('is %s', (_, tolerations, on, expected) => {
    expect(staysMs(pod('p', { spec: { tolerations } }), on, now.getTime())).toBe(expected);
  });
});
