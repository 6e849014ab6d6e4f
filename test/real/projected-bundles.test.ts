import { expect, it } from 'vitest';
import { bootstrapDocumentsInMemory } from '#infra/emulator/testing/bootstrap-documents-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { projectedBundles } from '#shared/adapters/cluster/projected-bundles.ts';
import { startKube } from './kube/start.ts';

const settings = settingsFixed({ installation: { namespace: 'default' } });

/** The kind has a gate of its own: without this one, pods are stored with an empty volume. */
it.each([
  [true, 'present'],
  [false, 'not-projected'],
])('with ClusterTrustBundleProjection=%s a bundle is %s', async (gate, seen) => {
  const kube = await startKube({
    apiserverArgs: [
      `--feature-gates=ClusterTrustBundle=true,ClusterTrustBundleProjection=${gate}`,
      '--runtime-config=certificates.k8s.io/v1beta1=true',
    ],
  });
  const cluster = await openCluster({ login: { kind: 'kubeconfig', path: kube.kubeconfig } });
  try {
    const documents = bootstrapDocumentsInMemory();
    documents.know('roots', { kind: 'present', hash: 'abc' });
    const projected = projectedBundles(cluster, { settings })(documents);
    expect((await projected.trustBundle('roots')).kind).toBe(seen);
  } finally {
    cluster.close();
    await kube.stop();
  }
});
