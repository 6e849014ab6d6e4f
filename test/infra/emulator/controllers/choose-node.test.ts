import { describe, expect, it } from 'vitest';
import { chooseNode } from '#infra/emulator/controllers/scheduler/choose-node.ts';
import {
  capacityOf,
  demandOf,
  parseQuantity,
} from '#infra/emulator/controllers/scheduler/demand.ts';
import { tolerates } from '#infra/emulator/controllers/scheduler/taints.ts';
import { openUsage } from '#infra/emulator/controllers/scheduler/usage.ts';
import type {
  Affinity,
  NodeRequirement,
  PodSpec,
  Toleration,
} from '#infra/emulator/controllers/shapes/pod.ts';
import { ended, node, pod } from './making.ts';

const host = 'kubernetes.io/hostname';
const taint = { key: 'only', value: 'few', effect: 'NoSchedule' };
const nodes = [node('a'), node('b'), node('tainted', { spec: { taints: [taint] } })];

function required(requirement: NodeRequirement): Affinity {
  const nodeSelectorTerms = [{ matchExpressions: [requirement] }];
  return {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  };
}

const likesB: Affinity = {
  nodeAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 10,
        preference: { matchExpressions: [{ key: host, operator: 'In', values: ['b'] }] },
      },
    ],
  },
};
const toleration: Toleration = { key: 'only', operator: 'Exists' };
const unfit = "node(s) didn't match Pod's node affinity/selector";

describe('chooseNode', () => {
  it.each<[string, Partial<PodSpec>, string]>([
    ['the first of equals', {}, 'a'],
    ['the one that its selector names', { nodeSelector: { [host]: 'b' } }, 'b'],
    [
      'one that is required',
      { affinity: required({ key: host, operator: 'NotIn', values: ['a'] }) },
      'b',
    ],
    ['the one that it prefers', { affinity: likesB }, 'b'],
    [
      'a tainted one that it stands',
      { tolerations: [toleration], nodeSelector: { [host]: 'tainted' } },
      'tainted',
    ],
  ])('takes %s', (_, spec, name) => {
    expect(chooseNode(pod('p', { spec }), nodes, new Map())).toEqual({ kind: 'node', name });
  });

  it.each<[string, Partial<PodSpec>, string]>([
    [
      'nothing fits',
      { nodeSelector: { [host]: 'c' } },
      `0/3 nodes are available: 1 node(s) had untolerated taint {only: few}, 2 ${unfit}.`,
    ],
    [
      'a taint is in the way',
      { nodeSelector: { [host]: 'tainted' } },
      `0/3 nodes are available: 1 node(s) had untolerated taint {only: few}, 2 ${unfit}.`,
    ],
    [
      'a term is empty',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] },
          },
        },
        tolerations: [toleration],
      },
      `0/3 nodes are available: 3 ${unfit}.`,
    ],
  ])('says why when %s', (_, spec, why) => {
    expect(chooseNode(pod('p', { spec }), nodes, new Map())).toEqual({ kind: 'none', why });
  });

  it('spreads, since the emptiest node is the best of equals', () => {
    const used = new Map([
      ['a', { pods: 2, cpu: 0, memory: 0 }],
      ['b', { pods: 1, cpu: 0, memory: 0 }],
    ]);
    expect(chooseNode(pod('p'), nodes, used)).toEqual({ kind: 'node', name: 'b' });
  });

  it.each([
    ['pods', { pods: '1' }, 'Too many pods'],
    ['cpu', { pods: '10', cpu: '1' }, 'Insufficient cpu'],
    ['memory', { pods: '10', cpu: '8', memory: '1Gi' }, 'Insufficient memory'],
  ])('refuses a node that is out of %s', (_, allocatable, why) => {
    const requests = { cpu: '600m', memory: '600Mi' };
    const spec = { containers: [{ name: 'app', image: 'a', resources: { requests } }] };
    const used = new Map([['a', { pods: 1, cpu: 600, memory: 600 * 2 ** 20 }]]);
    expect(chooseNode(pod('p', { spec }), [node('a', { status: { allocatable } })], used)).toEqual({
      kind: 'none',
      why: `0/1 nodes are available: 1 ${why}.`,
    });
  });

  it('leaves out a node that is cordoned', () => {
    const cordoned = node('a', { spec: { unschedulable: true } });
    expect(chooseNode(pod('p'), [cordoned], new Map())).toEqual({
      kind: 'none',
      why: '0/1 nodes are available: 1 node(s) were unschedulable.',
    });
  });
});

describe('tolerates', () => {
  it.each<[Toleration, boolean]>([
    [{ operator: 'Exists' }, true],
    [{ key: 'only', operator: 'Exists' }, true],
    [{ key: 'only', value: 'few' }, true],
    [{ key: 'only', value: 'many' }, false],
    [{ key: 'other', operator: 'Exists' }, false],
    [{ key: 'only', operator: 'Exists', effect: 'NoExecute' }, false],
  ])('%j: %s', (toleration, expected) => {
    expect(tolerates(toleration, taint)).toBe(expected);
  });
});

describe('demand', () => {
  it.each([
    ['100m', 0.1],
    ['1.5Gi', 1.5 * 2 ** 30],
    ['2k', 2_000],
    ['1e3', 1_000],
    [4, 4],
  ])('reads %s', (text, expected) => {
    expect(parseQuantity(text)).toBe(expected);
  });

  it('is the larger of what runs in the end and what one init container asks for', () => {
    const asks = (cpu: string) => ({ name: cpu, image: 'a', resources: { requests: { cpu } } });
    const spec = { containers: [asks('1'), asks('500m')], initContainers: [asks('2'), asks('1')] };
    expect(demandOf(spec)).toEqual({ pods: 1, cpu: 2_000, memory: 0 });
  });

  it('has no bound where a node states none', () => {
    expect(capacityOf(undefined).pods).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('usage', () => {
  const placed = pod('p', { spec: { nodeName: 'a' } });

  it('counts a pod once, from the decision until it is gone', () => {
    const usage = openUsage();
    usage.assume(pod('p'), 'a');
    expect(usage.used.get('a')?.pods).toBe(1);
    usage.changed(pod('p'), placed);
    expect(usage.used.get('a')?.pods).toBe(1);
    usage.changed(placed, undefined);
    expect(usage.used.get('a')?.pods).toBe(0);
  });

  it('frees the place of a pod that has ended', () => {
    const usage = openUsage();
    usage.changed(undefined, placed);
    usage.changed(placed, { ...placed, status: ended('Succeeded') });
    expect(usage.used.get('a')?.pods).toBe(0);
  });

  it('takes back what could not be bound', () => {
    const usage = openUsage();
    usage.assume(pod('p'), 'a');
    usage.forget(pod('p'));
    expect(usage.used.get('a')?.pods).toBe(0);
    expect(usage.isAssumed(pod('p'))).toBe(false);
  });
});
