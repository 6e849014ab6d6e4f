import { describe, expect, it } from 'vitest';
import preferPool from '#functions/node-affinity/prefer-pool.ts';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import { nodesInMemory } from '#infra/emulator/testing/nodes-in-memory.ts';
import type { Partly } from '#infra/emulator/testing/settings-fixed.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Nodes } from '#shared/ports.ts';
import { ask, patched, reviewOf, stage } from '#test/support/admission.ts';
import { ours, podOf, poolLabel, preferring } from '#test/support/placed-pod.ts';

const poolNode = { name: 'node-1', labels: { [poolLabel]: 'cpu-worker-0' } };
const otherNode = { name: 'node-2', labels: { [poolLabel]: 'other' } };
const namespaces = namespacesInMemory(
  { name: 'team-a', labels: { 'operator.kyma-project.io/managed-by': 'kyma' } },
  { name: 'kube-system', labels: { 'operator.kyma-project.io/managed-by': 'kyma' } },
  { name: 'default' },
);
const unreachable: Nodes = { list: () => Promise.reject(new Error('no cluster here')) };

/** One review through the whole loop. */
async function admitted(
  nodes: Nodes,
  {
    settings = {},
    ...request
  }: Parameters<typeof reviewOf>[0] & { settings?: Partly<Settings> } = {},
) {
  const { app } = await stage({ functions: [preferPool], namespaces, settings, ports: { nodes } });
  return ask(app, '/mutate/pods', reviewOf({ object: podOf(), ...request }));
}

const added = [{ op: 'add', path: '/spec/affinity', value: preferring(ours).affinity }];

describe('prefer-pool', () => {
  it('A1 answers a pod of a managed namespace with one minimal patch', async () => {
    expect(await admitted(nodesInMemory(poolNode))).toMatchObject({
      allowed: true,
      operations: added,
      warnings: [],
    });
  });

  it('A4 answers its own result with none', async () => {
    const answer = await admitted(nodesInMemory(poolNode));
    const object = patched(podOf(), answer);
    expect((await admitted(nodesInMemory(poolNode), { object })).operations).toEqual([]);
  });

  it.each([
    ['A9 a namespace without the label', 'default', {}],
    ['A5 an excluded namespace', 'kube-system', {}],
    [
      'A7 an excluded namespace, whatever else is switched on',
      'kube-system',
      { fallbackAnnotation: true },
    ],
  ])('leaves pods alone in %s', async (_, namespace, nodeAffinity) => {
    for (const nodes of [nodesInMemory(poolNode), nodesInMemory()]) {
      const answer = await admitted(nodes, { namespace, settings: { nodeAffinity } });
      expect(answer).toMatchObject({ allowed: true, operations: [], warnings: [] });
    }
  });

  it('takes the namespaces that the settings select', async () => {
    const nodeAffinity = {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
    };
    const asked = (namespace: string) =>
      admitted(nodesInMemory(poolNode), { namespace, settings: { nodeAffinity } });
    expect((await asked('default')).operations).toEqual(added);
    expect((await asked('team-a')).operations).toEqual([]);
  });

  it.each([
    ['an update', { operation: 'UPDATE' as const, old: podOf() }],
    [
      'a new ephemeral container',
      { operation: 'UPDATE' as const, subResource: 'ephemeralcontainers', old: podOf() },
    ],
    ['a binding', { subResource: 'binding' }],
  ])('has no say in %s', async (_, request) => {
    expect(await admitted(nodesInMemory(poolNode), request)).toMatchObject({
      allowed: true,
      operations: [],
      warnings: [],
    });
  });

  it('A18 follows the pool while it runs', async () => {
    const nodes = nodesInMemory(otherNode);
    const { app } = await stage({ functions: [preferPool], namespaces, ports: { nodes } });
    const operations = async () =>
      (await ask(app, '/mutate/pods', reviewOf({ object: podOf() }))).operations;

    expect(await operations()).toEqual([]);
    nodes.put(poolNode);
    expect(await operations()).toEqual(added);
    nodes.remove(poolNode.name);
    expect(await operations()).toEqual([]);
  });

  it('A6 marks pods while the pool has no node, where that is switched on', async () => {
    const settings = { nodeAffinity: { fallbackAnnotation: true } };
    const value = { [poolLabel]: 'cpu-worker-0' };
    expect((await admitted(nodesInMemory(), { settings })).operations).toEqual([
      { op: 'add', path: '/metadata/annotations', value },
    ]);
  });

  it('finds the pool among several, by the configured label', async () => {
    const settings = { nodeAffinity: { labelKey: 'pool', pools: ['a', 'b'] } };
    const nodes = nodesInMemory({ name: 'node-1', labels: { pool: 'b' } });
    expect((await admitted(nodes, { settings })).operations).toHaveLength(1);
    expect((await admitted(nodesInMemory(poolNode), { settings })).operations).toEqual([]);
  });

  it('asks no cluster where the pool is a given', async () => {
    const settings = { nodeAffinity: { presence: 'assumed' as const } };
    expect(await admitted(unreachable, { settings })).toMatchObject({
      operations: added,
      warnings: [],
    });
  });

  it.each<[string, Nodes, JsonObject]>([
    ['the nodes cannot be read', unreachable, podOf()],
    ['the pod cannot be read', nodesInMemory(poolNode), { ...podOf(), spec: { affinity: 'none' } }],
    ['there is no spec', nodesInMemory(poolNode), { apiVersion: 'v1', kind: 'Pod', metadata: {} }],
  ])('lets a pod through with a warning when %s', async (_, nodes, object) => {
    const answer = await admitted(nodes, { object });
    expect(answer).toMatchObject({ allowed: true, operations: [] });
    expect(answer.warnings).toEqual([expect.stringContaining('prefer-pool could not answer')]);
    expect(answer.warnings.join()).not.toContain('no cluster here');
  });
});
