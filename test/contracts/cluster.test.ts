import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { clusterContract } from './cluster.ts';

clusterContract('the cluster in memory', async () => ({
  cluster: clusterInMemory(),
  namespace: 'contract',
}));
