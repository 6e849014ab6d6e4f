import { afterAll, inject } from 'vitest';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { clusterContract } from '#test/contracts/cluster.ts';
import { freshNamespace } from './kube/fresh-namespace.ts';

const cluster = await openCluster({
  login: { kind: 'kubeconfig', path: inject('kube').kubeconfig },
});
afterAll(() => cluster.close());

clusterContract('a cluster of a real kube-apiserver', async () => ({
  cluster,
  namespace: await freshNamespace(cluster),
}));
