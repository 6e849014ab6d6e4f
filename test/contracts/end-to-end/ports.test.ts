import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { serviceAccounts } from '#infra/emulator/controllers/shapes/kinds.ts';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { eventWriter } from '#shared/adapters/cluster/events.ts';
import { openNamespaces } from '#shared/adapters/cluster/namespaces.ts';
import { openNodes } from '#shared/adapters/cluster/nodes.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { freshNamespace } from '#test/real/kube/fresh-namespace.ts';
import { eventsIn } from '../cluster/events-in.ts';
import { labelled } from '../cluster/labelled.ts';
import { made } from '../cluster/place.ts';
import { clusterContract } from '../cluster.ts';
import { eventsContract } from '../events.ts';
import { namespacesContract } from '../namespaces.ts';
import { nodesContract } from '../nodes.ts';
import { invocationContract } from './invocation.ts';
import { loginContract } from './login.ts';
import { renderingContract } from './rendering.ts';

const emulated = await emulatedCluster();
const folder = mkdtempSync(join(tmpdir(), 'ports-'));
const path = join(folder, 'kubeconfig');
writeFileSync(path, emulated.tokenKubeconfig, { mode: 0o600 });
const login = { kind: 'kubeconfig', path } as const;
const cluster = await openCluster({ login });
afterAll(async () => {
  cluster.close();
  await emulated.close();
  rmSync(folder, { recursive: true });
});

/** Nobody controls this one: the suite says itself how its pods and budgets are. */
async function place() {
  const namespace = await freshNamespace(cluster);
  const metadata = { name: 'default', namespace };
  await made({ cluster, namespace }, serviceAccounts, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata,
  });
  return { cluster, namespace };
}

clusterContract('a cluster of the emulated API server', place);

namespacesContract('namespaces of the emulated API server', async () => ({
  namespaces: openNamespaces(cluster),
  put: (name, labels) => labelled(cluster, { kind: 'Namespace', name, labels }),
}));

nodesContract('nodes of the emulated API server', async () => ({
  nodes: openNodes(cluster),
  put: (name, labels) => labelled(cluster, { kind: 'Node', name, labels }),
}));

eventsContract('events of the emulated API server', async () => ({
  events: eventWriter(cluster, clockAt('2030-01-01T00:00:00Z'), { component: 'gatehouse' }),
  namespace: await freshNamespace(cluster),
  listFor: (uid) => eventsIn(cluster, uid),
}));

const token = JSON.parse(emulated.tokenKubeconfig).users[0].user.token;
loginContract('the emulated API server', { ...emulated, token });
renderingContract('the emulated API server', login);

/** Those of all functions that come along take a process for each shape, and are the real server's. */
await invocationContract('the emulated API server', path);
