import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import { liveNamespaces, openNamespaces } from '#shared/adapters/cluster/namespaces.ts';
import { labelled } from './cluster/labelled.ts';
import { namespacesContract } from './namespaces.ts';

namespacesContract('namespaces in memory', async () => {
  const namespaces = namespacesInMemory();
  return { namespaces, put: async (name, labels) => namespaces.put({ name, labels }) };
});

namespacesContract('namespaces of the cluster in memory', async () => {
  const cluster = clusterInMemory();
  return {
    namespaces: openNamespaces(cluster),
    put: (name, labels) => labelled(cluster, { kind: 'Namespace', name, labels }),
  };
});

namespacesContract('namespaces of the cluster in memory, unremembered', async () => {
  const cluster = clusterInMemory();
  return {
    namespaces: liveNamespaces(cluster),
    put: (name, labels) => labelled(cluster, { kind: 'Namespace', name, labels }),
  };
});
