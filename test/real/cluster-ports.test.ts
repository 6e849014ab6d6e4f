import { afterAll, inject } from 'vitest';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { eventWriter } from '#shared/adapters/cluster/events.ts';
import { openNamespaces } from '#shared/adapters/cluster/namespaces.ts';
import { openNodes } from '#shared/adapters/cluster/nodes.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { eventsIn } from '#test/contracts/cluster/events-in.ts';
import { labelled } from '#test/contracts/cluster/labelled.ts';
import { eventsContract } from '#test/contracts/events.ts';
import { namespacesContract } from '#test/contracts/namespaces.ts';
import { nodesContract } from '#test/contracts/nodes.ts';
import { freshNamespace } from './kube/fresh-namespace.ts';

const cluster = await openCluster({
  login: { kind: 'kubeconfig', path: inject('kube').kubeconfigToken },
});
afterAll(() => cluster.close());

namespacesContract('namespaces of a real kube-apiserver', async () => ({
  namespaces: openNamespaces(cluster),
  put: (name, labels) => labelled(cluster, { kind: 'Namespace', name, labels }),
}));

nodesContract('nodes of a real kube-apiserver', async () => ({
  nodes: openNodes(cluster),
  put: (name, labels) => labelled(cluster, { kind: 'Node', name, labels }),
}));

eventsContract('events of a real kube-apiserver', async () => ({
  events: eventWriter(cluster, clockAt('2030-01-01T00:00:00Z'), { component: 'gatehouse' }),
  namespace: await freshNamespace(cluster),
  listFor: (uid) => eventsIn(cluster, uid),
}));
