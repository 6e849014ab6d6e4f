import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { nodesInMemory } from '#infra/emulator/testing/nodes-in-memory.ts';
import { liveNodes, openNodes } from '#shared/adapters/cluster/nodes.ts';
import { labelled } from './cluster/labelled.ts';
import { nodesContract } from './nodes.ts';

nodesContract('nodes in memory', async () => {
  const nodes = nodesInMemory();
  return { nodes, put: async (name, labels) => nodes.put({ name, labels }) };
});

nodesContract('nodes of the cluster in memory', async () => {
  const cluster = clusterInMemory();
  return {
    nodes: openNodes(cluster),
    put: (name, labels) => labelled(cluster, { kind: 'Node', name, labels }),
  };
});

nodesContract('nodes of the cluster in memory, unremembered', async () => {
  const cluster = clusterInMemory();
  return {
    nodes: liveNodes(cluster),
    put: (name, labels) => labelled(cluster, { kind: 'Node', name, labels }),
  };
});
