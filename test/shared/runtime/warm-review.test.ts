import { afterAll, beforeAll, expect, it } from 'vitest';
import preferPool from '#functions/node-affinity/prefer-pool.ts';
import bootstrapPod from '#functions/pod-bootstrap/bootstrap-pod.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { openBootstrapDocuments } from '#shared/adapters/cluster/bootstrap-documents.ts';
import { openNamespaces } from '#shared/adapters/cluster/namespaces.ts';
import { openNodes } from '#shared/adapters/cluster/nodes.ts';
import { projectedBundles } from '#shared/adapters/cluster/projected-bundles.ts';
import { bootstrapDocumentsOn } from '#shared/adapters/database/bootstrap-documents.ts';
import { mirrorOn } from '#shared/adapters/database/mirror.ts';
import { namespacesOn } from '#shared/adapters/database/namespaces.ts';
import { nodesOn } from '#shared/adapters/database/nodes.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { clusterTrustBundles, configMaps, namespaces, nodes } from '#shared/domain/kind.ts';
import type { Cluster } from '#shared/ports.ts';
import { ask, type Request, reviewOf, stage } from '#test/support/admission.ts';
import { bundleOf, hashOfAbc, keeping, mapOf } from '#test/support/boot-document.ts';
import { until } from '#test/support/until.ts';
import {
  database,
  type MirrorStage,
  mirrorStage,
  startMs,
} from '../adapters/database/mirror-stage.ts';
import { shipped, trustBundle } from '../domain/pod-bootstrap/bootstrapping.ts';

const configured = {
  nodeAffinity: { pools: ['cpu-worker-0'], presence: 'assumed' as const },
  podBootstrap: { landscape: 'NS2' },
};

let mirrored: MirrorStage;
const counted = { statements: 0, calls: 0 };
let sql: ReturnType<typeof postgres>;
beforeAll(async () => {
  const { url } = await database;
  mirrored = await mirrorStage({ isEmpty: true, staleMs: 20_000 });
  sql = postgres(url, { max: 2, debug: () => (counted.statements += 1) });
}, startMs);
afterAll(async () => {
  await Promise.all([mirrored.close(), sql.end({ timeout: 0 })]);
});

/** Each of its calls, whichever it is. */
function counting(cluster: Cluster): Cluster {
  return new Proxy(cluster, {
    get(target, name, receiver) {
      counted.calls += 1;
      return Reflect.get(target, name, receiver);
    },
  });
}

/** The call for pods, on the ports of a replica that hears of what changes. */
async function serving() {
  const settings = settingsFixed(configured);
  const cluster = counting(clusterInMemory());
  const { keeper } = keeping();
  const { heard, cluster: name } = mirrored;
  const mirror = mirrorOn(sql, { cluster: name });
  const live = openBootstrapDocuments(cluster, { settings, keeper });
  const documents = bootstrapDocumentsOn({ mirror, heard, settings, keeper, live });
  const known = namespacesOn({ mirror, heard, live: openNamespaces(cluster) });
  const ports = {
    namespaces: known,
    nodes: nodesOn({ sql, cluster: name, heard, live: openNodes(cluster) }),
    bootstrapDocument: projectedBundles(cluster, { settings })(documents),
  };
  const functions = [bootstrapPod, preferPool];
  const { app } = await stage({ functions, settings: configured, namespaces: known, ports });
  return (request: Request) => ask(app, '/mutate/pods', reviewOf(request));
}

/** No two of them of one template, or all of one. */
function podOf(at: number, isStranger: boolean) {
  const app = isStranger ? `app-${at}` : 'app';
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: app, uid: `rs-${app}` };
  return {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { generateName: `${app}-`, ownerReferences: [{ ...owner, controller: true }] },
    spec: { containers: [{ name: 'web', image: `replace.me/${app}:1` }] },
  };
}

it('a warm review of pods asks the cluster nothing, and the database nothing', async () => {
  const { writer, isFresh } = mirrored;
  const kyma = { 'operator.kyma-project.io/managed-by': 'kyma' };
  await writer.put(namespaces, {
    ...{ apiVersion: 'v1', kind: 'Namespace' },
    metadata: { name: 'team-a', uid: 'uid-of-team-a', labels: kyma },
  });
  await writer.put(configMaps, mapOf({ ...shipped, defaultMode: 'optOut' }));
  await writer.put(clusterTrustBundles, bundleOf(trustBundle.name, 'abc'));
  await writer.put(nodes, {
    ...{ apiVersion: 'v1', kind: 'Node' },
    metadata: { name: 'n', uid: 'n', labels: { 'worker.gardener.cloud/pool': 'cpu-worker-0' } },
  });
  for (const kind of [namespaces, configMaps, clusterTrustBundles, nodes]) await isFresh(kind);

  const answered = await serving();
  const warm = await answered({ object: podOf(-1, true) });
  expect(JSON.stringify(warm.operations)).toContain(hashOfAbc);
  expect(warm.operations.map(({ path }) => path)).toContain('/spec/affinity');
  expect(counted.statements).toBeGreaterThan(0);
  await until(async () => {
    const before = { ...counted };
    await answered({ object: podOf(-1, true) });
    return before.statements === counted.statements;
  });

  const before = { ...counted };
  for (let at = 0; at < 100; at += 1)
    for (const isStranger of [true, false]) {
      const { allowed, operations } = await answered({ object: podOf(at, isStranger) });
      expect([allowed, operations.length > 4]).toEqual([true, true]);
    }
  expect(counted).toEqual(before);
});
