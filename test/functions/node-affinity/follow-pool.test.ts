import { describe, expect, it } from 'vitest';
import type { Wake } from '#events/kinds.ts';
import followPool from '#functions/node-affinity/follow-pool.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { nodesInMemory } from '#infra/emulator/testing/nodes-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { emulate } from '#infra/emulator/world/emulate.ts';
import type { Stated } from '#infra/emulator/world/manifest.ts';
import { done } from '#shared/domain/outcome.ts';
import type { Nodes } from '#shared/ports.ts';
import { runOnce } from '#shared/runtime/reconcile.ts';
import { poolLabel } from '#test/support/placed-pod.ts';
import { running } from '#test/support/running.ts';

const period: Wake = { kind: 'period', function: 'follow-pool' };
const nodeGone: Wake = {
  kind: 'object',
  cluster: 'default',
  group: '',
  resource: 'nodes',
  namespace: '',
  name: 'node-1',
  uid: 'of-an-earlier-node',
  deleted: true,
};
const node = { name: 'node-1', labels: { [poolLabel]: 'cpu-worker-0' } };

function given(nodes: Nodes, nodeAffinity = {}) {
  return { nodes, settings: settingsFixed({ nodeAffinity }), conditions: conditionsRecorded() };
}

describe('follow-pool', () => {
  it('reports that the pool has nodes, naming it and its label', async () => {
    const ports = given(nodesInMemory(node));
    expect(await followPool.handler(period, ports)).toEqual(done);
    expect(ports.conditions.reports).toEqual([
      {
        name: 'node-pool',
        holds: true,
        why: 'managed pods prefer the node pool cpu-worker-0 (label worker.gardener.cloud/pool)',
      },
    ]);
  });

  it('reports that it has none, and how to mend it', async () => {
    const ports = given(nodesInMemory({ ...node, labels: { [poolLabel]: 'other' } }));
    expect(await followPool.handler(period, ports)).toEqual(done);
    expect(ports.conditions.reports).toEqual([
      {
        name: 'node-pool',
        holds: false,
        why: 'the node pool cpu-worker-0 (label worker.gardener.cloud/pool) has no node, so that managed pods are left as they are: add a node to it, or name another pool in nodeAffinity.pools',
      },
    ]);
  });

  it('A18 follows nodes that come and go', async () => {
    const nodes = nodesInMemory();
    const ports = given(nodes);
    const holds = async (wake: Wake) => {
      await followPool.handler(wake, ports);
      return ports.conditions.find('node-pool')?.holds;
    };
    expect(await holds(period)).toBe(false);
    nodes.put(node);
    expect(await holds(period)).toBe(true);
    nodes.remove(node.name);
    expect(await holds(nodeGone)).toBe(false);
  });

  it('says what is true now, whatever woke it: a node that went and was made anew is there', async () => {
    const ports = given(nodesInMemory(node));
    await followPool.handler(nodeGone, ports);
    expect(ports.conditions.find('node-pool')?.holds).toBe(true);
  });

  it('says the same when it runs twice at a time, and as the pool grows', async () => {
    const nodes = nodesInMemory(node);
    const ports = given(nodes);
    await Promise.all([followPool.handler(period, ports), followPool.handler(nodeGone, ports)]);
    nodes.put({ ...node, name: 'node-2' });
    await followPool.handler(period, ports);
    const [first, ...others] = ports.conditions.reports;
    expect(others).toEqual([first, first]);
  });

  it('runs for what a node is labelled, and not for what it says of itself all the time', async () => {
    const stated = { apiVersion: 'v1', kind: 'Node', metadata: node };
    await using world = await emulate({ functions: [followPool], objects: [stated] });
    await world.settle();
    const runs = async (object: Stated) => {
      const before = world.decisions().length;
      await world.apply(object);
      await world.settle();
      return world.decisions().length - before;
    };
    expect(await runs({ ...stated, status: { phase: 'Running' } })).toBe(0);
    expect(await runs({ ...stated, metadata: { ...node, labels: {} } })).toBe(1);
  });

  it('goes by the newest settings', async () => {
    const ports = given(nodesInMemory(node));
    await followPool.handler(period, ports);
    ports.settings.change({ nodeAffinity: { pools: ['a', 'b'] } });
    await followPool.handler(period, ports);
    expect(ports.conditions.find('node-pool')).toMatchObject({
      holds: false,
      why: expect.stringContaining('a, b (label'),
    });
  });

  it('asks no cluster where the pool is a given', async () => {
    const ports = given(unreachable, { presence: 'assumed' });
    expect(await followPool.handler(period, ports)).toEqual(done);
    expect(ports.conditions.find('node-pool')?.holds).toBe(true);
  });

  it('A19 leaves an outage to the loop, which tries again, and reports nothing that it does not know', async () => {
    const ports = given(unreachable);
    const outcome = await runOnce(followPool, period, running(ports));
    expect(outcome.kind).toBe('retry');
    expect(ports.conditions.reports).toEqual([]);
  });
});

const unreachable: Nodes = { list: () => Promise.reject(new Error('nodes is forbidden')) };
