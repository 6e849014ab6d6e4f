import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { clusterTrustBundles, configMaps, namespaces } from '#shared/domain/kind.ts';
import { featureKeys } from '#shared/domain/pod-bootstrap/feature.ts';
import { doJobs } from '../support/worker.ts';

/** Nothing but looks: the cluster is opened by the first one. */
export type Job = { readonly kind: 'look' };
export type Looked = { readonly kubeconfig: string; readonly requests: number };

const name = 'bench.test:ctb:1';

/** What upstream ships, with everything on, and every image from another registry. */
const document = {
  overrides: { 'registry.example.com': 'mirror.test:5001' },
  clusterTrustBundle: {
    name,
    certWritePath: 'bundle.pem',
    volumeMountPath: '/etc/ssl/certs',
    volumeName: 'rt-bootstrapper-certs',
  },
  availableFeatures: featureKeys,
};

async function opened() {
  const cluster = await emulatedCluster();
  const { objects } = cluster;
  for (const each of ['kyma-system', 'shop']) {
    const labels = { 'operator.kyma-project.io/managed-by': 'kyma' };
    objects.create(namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: each, labels },
    });
  }
  objects.create(configMaps, {
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: { name: 'rt-bootstrapper-config', namespace: 'kyma-system' },
    data: { 'rt-bootstrapper-config.json': JSON.stringify(document) },
  });
  objects.create(clusterTrustBundles, {
    ...{ apiVersion: 'certificates.k8s.io/v1', kind: 'ClusterTrustBundle', metadata: { name } },
    spec: { signerName: 'bench.test/ctb', trustBundle: 'abc' },
  });
  return cluster;
}

const verbs = [
  ...(['discovery', 'get', 'list', 'version', 'watch'] as const),
  ...(['create', 'update', 'patch', 'delete', 'other'] as const),
];

let cluster: Awaited<ReturnType<typeof opened>> | undefined;

doJobs(async (_: Job): Promise<Looked> => {
  cluster ??= await opened();
  const { tokenKubeconfig: kubeconfig, requests } = cluster;
  return { kubeconfig, requests: verbs.reduce((sum, verb) => sum + requests.of(verb), 0) };
});
